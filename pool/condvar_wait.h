// CondVarWait sleeps on a condition variable until a submitter wakes it.
//
//   Worker                             Submitter, or whoever ended the session
//   W1 lock                            N1 push the task, or end the session
//   W2 count itself as sleeping        N2 lock; read sleeping; unlock
//   W3 predicate false? sleep          N3 notify one if anybody sleeps, or all
//
// Invariant (no lost wake-up): the two critical sections are ordered. If W1
// comes after N2, W3 sees N1. If N2 comes first after W3, the worker is in the
// condition variable's set, was counted, and N3 reaches it. Either way, no
// worker sleeps while its predicate holds and no wake-up is owed.
// Invariant (surplus): every submit notifies, so an idle worker implies
// queued <= searching + owed. Work is conserved without a wake-up chain.
// Not promised: few wake-ups; a submitter takes the mutex every time.
// Checked in models/condvar_wait.cpp.
#pragma once

#include <cstddef>

#include "platform.h"
#include "wait_strategy.h"

namespace workerpool::inline v1 {

template <Platform P>
class CondVarWait {
 public:
  struct PerWorker {};

  explicit CondVarWait(const WaitOptions&) {}

  void Notify() {
    {
      // N2 pairs with W1. Lacking it, the count can be read before a worker
      // that has already missed the task adds itself: the task waits.
      typename P::Lock lock(mutex_);
      if (sleeping_.Read() == 0) return;
    }
    wakeup_.notify_one();  // N3
  }

  void NotifyAll() {
    // N2 with nothing to read: a worker between W3's test and its sleep holds
    // the mutex, so it is asleep when the notification comes.
    { typename P::Lock lock(mutex_); }
    wakeup_.notify_all();  // N3: all, since every worker must leave
  }

  template <class Holds, class Draining>
  void Wait(PerWorker&, Holds holds, Draining) {
    typename P::Lock lock(mutex_);        // W1
    ++sleeping_.Write();                  // W2
    while (!holds()) wakeup_.wait(lock);  // W3
    --sleeping_.Write();
  }

  void Found(PerWorker&) {}

 private:
  typename P::Mutex mutex_;
  typename P::CondVar wakeup_;
  typename P::template Var<std::size_t> sleeping_{std::size_t{0}};
};

}  // namespace workerpool::inline v1
