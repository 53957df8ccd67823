// Relacy as the models include it, and what one execution under it shares: the
// sleepers that wait for a timer, the threads, the exceptions in flight.
#pragma once

#include <cxxabi.h>

#include <cassert>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

// Relacy claims these names for code written for it; ours is written for the
// platform, and the standard library must keep its own.
#pragma push_macro("errno")
#pragma push_macro("assert")
#include <relacy/relacy.hpp>
#pragma pop_macro("errno")
#pragma pop_macro("assert")
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef VAR_T
#undef TLS_T
#undef VAR

namespace models {

// Where a model's operation stands in the source, for the history. Taken as
// two defaulted parameters: nested defaults would name this header.
#define WORKERPOOL_WHERE \
  const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

inline rl::debug_info At(const char* file, unsigned line) {
  return rl::debug_info("", file, line);
}

// What one execution shares. All threads of an execution are fibers of one
// thread, so plain data will do; Reset starts the next execution.
struct World {
  static constexpr unsigned kMaxThreads = 16;

  unsigned threads_allowed = 0;  // that Relacy has room for
  unsigned threads_created = 0;
  unsigned threads_alive = 0;
  unsigned fail_creation = 0;  // this creation throws; 0: none
  std::uint64_t writes = 0;
  std::uint64_t writes_seen[kMaxThreads] = {};
  unsigned idle_polls[kMaxThreads] = {};
  bool parked[kMaxThreads] = {};

  static World& Get() {
    static World world;
    return world;
  }

  static void Reset(unsigned threads_allowed) {
    Get() = World{};
    Get().threads_allowed = threads_allowed;
  }

  // Somebody wrote: whoever sleeps on a timer has something to poll for.
  void Wrote(const rl::debug_info& info) {
    ++writes;
    for (unsigned thread = 0; thread != kMaxThreads; ++thread) {
      if (!std::exchange(parked[thread], false)) continue;
      rl::ctx().unpark_thread(static_cast<rl::thread_id_t>(thread), false,
                              info);
    }
  }

  // A timer of the calling thread runs and fires. Parks only once the thread
  // has polled in vain, without a write in between, often enough to have got
  // past every stale value a load may return.
  void SleepUntilTimerFires(const rl::debug_info& info) {
    const unsigned me = rl::thread_index();
    const unsigned enough = rl::ctx().is_random_sched() ? 8 : 2;
    if (std::exchange(writes_seen[me], writes) != writes) idle_polls[me] = 0;
    if (++idle_polls[me] <= enough) {
      rl::yield(1, info);
      return;
    }
    parked[me] = true;
    rl::ctx().park_current_thread(false, false, false, info);
  }
};

// Fibers share one record of the exceptions in flight. An operation that may
// switch keeps its own fiber's, so that a model may switch inside a catch.
class KeepsExceptions {
 public:
  KeepsExceptions() { std::memcpy(saved_, Globals(), sizeof saved_); }
  ~KeepsExceptions() { std::memcpy(Globals(), saved_, sizeof saved_); }
  KeepsExceptions(const KeepsExceptions&) = delete;
  KeepsExceptions& operator=(const KeepsExceptions&) = delete;

  static void StartFiber() { std::memset(Globals(), 0, sizeof saved_); }

 private:
  static void* Globals() { return abi::__cxa_get_globals(); }

  // The caught exceptions' list and the count of uncaught ones, as the
  // Itanium C++ ABI lays them out (2.2.2).
  unsigned char saved_[2 * sizeof(void*)];
};

// Thrown where the standard library throws std::system_error, whose message
// would be allocated by Relacy and freed by the C library.
struct NoThread {};

}  // namespace models
