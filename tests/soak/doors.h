// Doors are the ways into a pool. Enter returns whether the task was accepted.
#pragma once

#include <cstdint>
#include <system_error>
#include <utility>

#include "errors.h"
#include "pool/worker_pool.h"

namespace soak {

template <class Pool>
struct PoolDoor {
  static constexpr bool kTakesMoveOnly = true;
  static constexpr bool kHandlesExceptions = true;

  Pool& pool;

  bool Drops() const { return pool.IsDropping(); }

  template <class F>
  bool Enter(F&& task, std::uint64_t dice) {
    if (dice % 2 == 0) return pool.TrySubmit(std::forward<F>(task));
    try {
      pool.Submit(std::forward<F>(task));
      return true;
    } catch (const std::system_error& error) {
      if (error.code() != workerpool_test::kRefused) throw;
      return false;
    }
  }
};

// Through the pool if that accepts, else held by its queue: never refused.
template <class Pool>
struct QueueDoor {
  static constexpr bool kTakesMoveOnly = false;
  static constexpr bool kHandlesExceptions = false;

  Pool& pool;
  workerpool::TaskQueue& queue;

  static bool Drops() { return false; }

  template <class F>
  bool Enter(const F& task, std::uint64_t dice) {
    if (dice % 2 == 0 && pool.TrySubmit(task)) return true;
    queue.Enqueue(task);
    return true;
  }
};

// Never refused: the pool starts itself.
template <class Pool>
struct MonoDoor {
  static constexpr bool kTakesMoveOnly = false;
  static constexpr bool kHandlesExceptions = false;

  Pool& pool;

  static bool Drops() { return false; }

  template <class F>
  bool Enter(const F& task, std::uint64_t) {
    pool.SubmitTask(task);
    return true;
  }
};

}  // namespace soak
