// WaitStrategy is how workers wait for work and submitters wake them. The pool
// calls Notify after every Push, and NotifyAll once a session is over; both
// must reach every worker whose predicate was still false.
#pragma once

#include <chrono>
#include <concepts>

namespace workerpool::inline v1 {

// What a strategy may be tuned with; each reads what concerns it.
struct WaitOptions {
  // BackoffWait: the first sleep, and the longest, to which it doubles.
  std::chrono::nanoseconds shortest_sleep = std::chrono::microseconds(1);
  std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(1);
};

template <class W>
concept WaitStrategy = requires(W& wait, typename W::PerWorker& mine) {
  requires std::constructible_from<W, const WaitOptions&>;
  typename W::PerWorker;  // a worker's own state; default: has just worked

  // One task was pushed before this call.
  wait.Notify();
  // What the predicate reads became true for good before this call.
  wait.NotifyAll();
  // Returns when the predicate may hold; it is called under locks and must
  // only read.
  wait.Wait(mine, [] { return true; });
  // The worker found a task.
  wait.Found(mine);
};

}  // namespace workerpool::inline v1
