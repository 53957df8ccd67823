// BackoffWait polls: a worker that finds nothing sleeps, by default from 1 us
// doubling to 1 ms, and looks again. A submitter does nothing at all.
//
//   Worker                               Shutdown, or who ended the session
//   B1 lock                              E1 close, or end, the session
//   B2 predicate false? sleep until      E2 lock; unlock
//      the timer fires: briefly, once    E3 notify all
//      the session is closed
//
// Invariant (no lost wake-up): a sleeping worker's timer runs; that is its
// wake-up for tasks, late by at most the longest sleep and the kernel's slack.
// Invariant (the end): B1 after E2 sees E1 at B2; otherwise the worker is in
// the condition variable's set when E3 comes. So no sleep that began while the
// session was open outlasts its closing, and the drain's own are brief: a task
// that was accepted before the close and pushed after it waits for no long
// timer.
// Not promised: idle for free; by default each idle worker wakes about 1000
// times a second.
// Checked in models/backoff_wait.cpp.
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

  // A longest sleep beyond a day counts as a day.
  explicit BackoffWait(const WaitOptions& options)
      : shortest_(std::min(options.shortest_sleep, kDay)),
        longest_(std::min(options.longest_sleep, kDay)) {
    if (shortest_.count() <= 0 ||
        options.longest_sleep < options.shortest_sleep) {
      throw std::invalid_argument(
          "workerpool: back-off needs 0 < shortest_sleep <= longest_sleep");
    }
  }

  void Notify() {}

  void NotifyAll() {
    // E2 pairs with B1. Lacking it, E3 can come between a worker's test and
    // its sleep: Shutdown then waits for that worker's timer.
    { typename P::Lock lock(mutex_); }
    wakeup_.notify_all();  // E3
  }

  // Sleeps once; the caller looks for work between two sleeps.
  template <class Holds, class Draining>
  void Wait(PerWorker& mine, Holds holds, Draining draining) {
    const auto sleep = std::max(mine.next_sleep, shortest_);
    mine.next_sleep = std::min(2 * sleep, longest_);
    typename P::Lock lock(mutex_);  // B1
    if (holds()) return;
    wakeup_.wait_for(lock, draining() ? std::min(sleep, kBrief) : sleep);  // B2
  }

  void Found(PerWorker& mine) { mine.next_sleep = shortest_; }

 private:
  using Duration = std::chrono::nanoseconds;

  static constexpr Duration kBrief = std::chrono::milliseconds(1);
  static constexpr Duration kDay = std::chrono::hours(24);

  const Duration shortest_;
  const Duration longest_;
  typename P::Mutex mutex_;
  typename P::CondVar wakeup_;
};

}  // namespace workerpool::inline v1
