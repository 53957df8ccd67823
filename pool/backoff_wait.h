// BackoffWait polls: a worker that finds nothing sleeps, from 1 us doubling to
// 1 ms, and looks again. A submitter does nothing at all.
//
//   Worker                             Whoever ended the session
//   B1 lock                            E1 end the session
//   B2 predicate false? sleep,         E2 lock; unlock
//      until the timer fires           E3 notify all
//
// Invariant (no lost wake-up): a sleeping worker's timer runs; that is its
// wake-up for tasks, late by at most the longest sleep and the kernel's slack.
// Invariant (the end): B1 after E2 sees E1 at B2; otherwise the worker is in
// the condition variable's set when E3 comes. Shutdown waits for no timer.
// Not promised: idle for free; each idle worker wakes about 1000 times a
// second.
// Checked in models/backoff_wait.cpp and models/worker_pool.cpp.
#pragma once

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "platform.h"
#include "wait_strategy.h"

namespace workerpool::inline v1 {

template <Platform P>
class BackoffWait {
 public:
  struct PerWorker {
    std::chrono::nanoseconds next_sleep{0};  // 0: the shortest
  };

  explicit BackoffWait(const WaitOptions& options)
      : shortest_(options.shortest_sleep), longest_(options.longest_sleep) {
    if (shortest_.count() <= 0 || longest_ < shortest_) {
      throw std::invalid_argument(
          "workerpool: back-off needs 0 < shortest_sleep <= longest_sleep");
    }
  }

  void Notify() {}

  void NotifyAll() {
    // E2 pairs with B1. Lacking it, E3 can come between a worker's test and
    // its sleep: Shutdown then waits for that worker's timer.
    { typename P::Lock lock(mutex_); }
    over_.notify_all();  // E3
  }

  // Sleeps once; the caller looks for work between two sleeps.
  template <class Predicate>
  void Wait(PerWorker& mine, Predicate holds) {
    const auto sleep = std::max(mine.next_sleep, shortest_);
    mine.next_sleep = std::min(2 * sleep, longest_);
    typename P::Lock lock(mutex_);              // B1
    if (!holds()) over_.wait_for(lock, sleep);  // B2
  }

  void Found(PerWorker& mine) { mine.next_sleep = shortest_; }

 private:
  const std::chrono::nanoseconds shortest_;
  const std::chrono::nanoseconds longest_;
  typename P::Mutex mutex_;
  typename P::CondVar over_;
};

}  // namespace workerpool::inline v1
