// WaitStrategy is how workers wait for work and submitters wake them. The pool
// calls Notify after every Push, and NotifyAll when a session is closed and
// when it is over. NotifyAll must reach every worker whose predicate was still
// false; Notify must reach one, unless a timer bounds every sleep.
#pragma once

#include <concepts>

#include "options.h"

namespace workerpool::inline v1 {

template <class W>
concept WaitStrategy = requires(W& wait, typename W::PerWorker& mine,
                                bool (*predicate)()) {
  requires std::constructible_from<W, const WaitOptions&>;
  typename W::PerWorker;  // a worker's own state; default: has just worked

  // One task was pushed before this call.
  wait.Notify();
  // The session was closed, or became over, before this call.
  wait.NotifyAll();
  // Returns when the first predicate may hold: there is work, or the session
  // is over. The second says that the session is closed. Both are called under
  // locks and only read.
  wait.Wait(mine, predicate, predicate);
  // The worker found a task.
  wait.Found(mine);
};

}  // namespace workerpool::inline v1
