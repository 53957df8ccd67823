// WaitStrategy is how workers wait for work and submitters wake them. The pool
// calls Notify after every Push, and NotifyAll when a session is closed and
// when it is over; both must reach workers whose predicate was still false.
#pragma once

#include <chrono>
#include <concepts>

namespace workerpool::inline v1 {

// What a strategy may be tuned with; each reads what concerns it.
struct WaitOptions {
  // BackoffWait: the first sleep, > 0, and the longest, to which it doubles.
  std::chrono::nanoseconds shortest_sleep = std::chrono::microseconds(1);
  std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(1);
};

template <class W>
concept WaitStrategy = requires(W& wait, typename W::PerWorker& mine) {
  requires std::constructible_from<W, const WaitOptions&>;
  typename W::PerWorker;  // a worker's own state; default: has just worked

  // One task was pushed before this call.
  wait.Notify();
  // The session was closed, or became over, before this call.
  wait.NotifyAll();
  // Returns when the first predicate may hold: there is work, or the session
  // is over. The second says that the session is closed. Both are called under
  // locks and only read.
  wait.Wait(
      mine, [] { return true; }, [] { return false; });
  // The worker found a task.
  wait.Found(mine);
};

}  // namespace workerpool::inline v1
