// WorkerThreads are the threads of one session after another: all are created
// or none, and no worker takes a task before the last one exists.
//
//   Startup                             Worker i
//   T1 lock the gate                    T3 lock the gate, unlock: blocks until
//   T2 create all; open the session;       all threads exist, or Startup failed
//      unlock                           T4 id := mine; work; T5 id := none
//   T6 join
//
// The gate is needed since {closed, 0} also means "not yet started": a worker
// that looked at the session before T2 opened it would leave. For the same
// reason nobody is told that Startup failed: the session is still over.
// Own workers are known by thread id, as a thread_local would exist once per
// shared library. A worker takes its id back before its thread ends, so no
// later thread with a reused id is taken for a worker.
// Checked in models/lifecycle_models.h and tests/thread_creation_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "platform.h"

namespace workerpool::inline v1 {

// "<pool>-worker-<index>" within the 15 characters that systems keep: the
// pool's name is cut, the suffix stays. For an index below 10^7.
inline std::string WorkerThreadName(const std::string& pool,
                                    std::size_t index) {
  constexpr std::size_t kLongest = 15;
  const std::string suffix = "-worker-" + std::to_string(index);
  return pool.substr(0, kLongest - suffix.size()) + suffix;
}

template <Platform P>
class WorkerThreads {
 public:
  WorkerThreads(std::string pool_name, std::uint32_t count)
      : pool_name_(std::move(pool_name)), ids_(std::size_t{count} + 1) {}

  std::size_t Count() const { return ids_.size() - 1; }

  // Creates the threads, calls open(), and lets every thread run body(). If a
  // thread cannot be created or open() throws, all is rolled back and the
  // exception goes on. Not thread-safe; nor is Join.
  template <class Body, class Open>
  void Start(Body body, Open open) {
    typename P::Lock gate(gate_);  // T1
    try {
      for (std::size_t i = 0; i != Count(); ++i) {
        threads_.emplace_back(WorkerThreadName(pool_name_, i),
                              [this, i, body] { PassGateAndRun(i, body); });
      }
      open();  // T2
    } catch (...) {
      gate.unlock();
      Join();
      throw;
    }
  }

  // Returns when every thread has ended.
  void Join() {
    for (auto& thread : threads_) thread.join();  // T6
    threads_.clear();
  }

  // Runs body() as a worker, on a thread of its own as it may end that, and
  // returns when it has ended. On the caller's if no thread can be created.
  // Only between Join and Start.
  template <class Body>
  void StandIn(Body body) {
    try {
      threads_.emplace_back(WorkerThreadName(pool_name_, 0),
                            [this, body] { RunAs(0, body); });
    } catch (...) {
      RunAs(0, body);
    }
    Join();
  }

  // Runs body() on the caller's thread, as a worker beside the others. One
  // thread at a time.
  template <class Body>
  void WorkAlong(Body body) {
    RunAs(Count(), body);
  }

  // Whether the caller is a worker of this pool, inside body(). Thread-safe.
  bool IsOwn() const {
    const typename P::ThreadId caller = P::ThisThread();
    for (const auto& id : ids_) {
      if (id.load(P::relaxed) == caller) return true;  // T4
    }
    return false;
  }

 private:
  using Id = typename P::template Atomic<typename P::ThreadId>;

  template <class Body>
  void PassGateAndRun(std::size_t index, const Body& body) {
    { typename P::Lock gate(gate_); }  // T3
    RunAs(index, body);
  }

  // Relaxed: only the thread itself can ever find its own id.
  template <class Body>
  void RunAs(std::size_t index, const Body& body) {
    ids_[index].store(P::ThisThread(), P::relaxed);  // T4
    struct Leaving {
      Id& id;
      ~Leaving() { id.store(typename P::ThreadId{}, P::relaxed); }  // T5
    } const leaving{ids_[index]};
    body();
  }

  const std::string pool_name_;
  typename P::Mutex gate_;
  std::vector<typename P::Thread> threads_;
  std::vector<Id> ids_;  // one per worker, and one for who works along
};

}  // namespace workerpool::inline v1
