// Session is one word that decides everything that used to race: accept or
// refuse, when workers may leave, and when the pool is idle.
//
//   bits   63..3     2                       1          0
//          pending   somebody waits for idle dropping   closed
//
//   closed  dropping  pending  means
//   1       0         0        stopped, or not yet started: stable until Open
//   0       0         any      running
//   1       0         > 0      draining: only tasks may submit
//   1       1         any      nobody may; what has not begun is dropped
//
//   Submitter                Worker, per task           Waiter for idle
//   S1 load, S2 CAS +1       run, destroy               S6 pending = 0? return
//      unless closed         S4 -1, release             S7 CAS: set the bit,
//                            bit set and pending = 0:      under the mutex
//                              S8 clear it, wake all,   sleep, then S7 again
//                              under the same mutex
//   Startup: S5 clear closed, count what was held.  Shutdown: S3 set closed.
//   ShutdownNow: S11 set closed and dropping; S12 clear dropping when all that
//   was pending has run or been dropped.
//
// pending rises when a task is accepted and falls after it has run and been
// destroyed, so pending = 0 says: nothing queued and nothing running.
// Invariant (over): one RMW, S3, S4 or S11, makes {closed, 0}, and all workers
// are woken after it: after S3 and S11 always, after S4 by whoever it tells.
// Invariant (idle): a waiter sleeps only while its bit is set and pending > 0,
// or while the RMW that took pending to 0 with the bit set is still to notify.
// Not promised: a waiter may miss an idle instant that passes while it wakes.
// Assumed: fewer than 2^61 tasks pending. pending is the topmost field, so even
// a carry out of it would reach no other.
// Checked in models/pool_models.h, models/lifecycle_models.h and
// models/drop_models.h; with a field of two bits in models/session.cpp.
#pragma once

#include <cstdint>
#include <limits>

#include "platform.h"

namespace workerpool::inline v1 {

// What a completion means to the worker that made it.
enum class Completed {
  kOne,       // look for the next task
  kDropping,  // begin no other task: leave
  kLast,      // the session is over: wake all workers, then leave
};

// Word and kPendingBits are parameters for the models' sake.
template <Platform P, class W = std::uint64_t,
          int kPendingBits = std::numeric_limits<W>::digits - 3>
class Session {
 public:
  using enum Site;
  using Word = W;

  // Counts one more pending task and returns true, or returns false and has
  // written nothing: an add that is undone on refusal could turn {closed, 0}
  // into {closed, 1} under the eyes of workers that are about to leave.
  //
  // S1 and S2 are relaxed: the word only counts; the task itself is handed
  // over by the queue.
  bool Accept() {
    return Raise([](Word word) { return (word & kClosed) == 0; });
  }

  // The same for a task that submits: it is pending itself, so workers stay,
  // unless they leave to let the rest be dropped.
  bool AcceptFromTask() {
    return Raise([](Word word) {
      return (word & kClosed) == 0 ||
             ((word & kDropping) == 0 && Pending(word) > 0);
    });
  }

  // One task has run and been destroyed, or was given up after it had been
  // accepted.
  [[nodiscard]] Completed Complete() {
    // S4 pairs with S6. Lacking it, WaitIdle returns and its caller may not
    // see what the tasks wrote. RMWs carry on a release sequence, so the last
    // completion hands over the effects of all.
    const Word before = word_.fetch_sub(kOne, P::Order(kComplete, P::release));
    const bool last = Pending(before) == 1;
    if (last && (before & kWaiting) != 0) NotifyIdle();
    if (last && (before & kClosed) != 0) return Completed::kLast;
    return (before & kDropping) != 0 ? Completed::kDropping : Completed::kOne;
  }

  // Lets tasks in; `held` of them are in the queue already. Only for a session
  // that is over, before its workers pass the gate.
  void Open(Word held) {
    word_.fetch_add(static_cast<Word>(held * kOne - kClosed),
                    P::relaxed);  // S5
  }

  // Refuses from now on. The caller then wakes all workers: the session may be
  // over at once, and whoever sleeps on a long timer must know of the drain.
  void Close() { word_.fetch_or(kClosed, P::relaxed); }  // S3

  // Refuses from now on also what tasks submit. The caller then wakes all
  // workers, so that they leave, and completes what they leave behind.
  void CloseAndDrop() {
    word_.fetch_or(kClosed | kDropping, P::relaxed);  // S11
  }

  // Once nothing is pending after CloseAndDrop, before the next Open.
  void EndDrop() {
    word_.fetch_and(static_cast<Word>(~kDropping), P::relaxed);  // S12
  }

  bool IsOpen() const {
    return (word_.load(P::relaxed) & kClosed) == 0;  // S9
  }

  bool IsDropping() const {
    return (word_.load(P::relaxed) & kDropping) != 0;  // S13
  }

  // Closed, nothing queued, nothing running. Relaxed: a worker that leaves
  // publishes nothing; Shutdown joins it.
  bool IsOver() const {
    const Word word = word_.load(P::relaxed);  // S10
    return (word & kClosed) != 0 && Pending(word) == 0;
  }

  // Over, or somebody else takes care of what is queued.
  bool WorkersMayLeave() const {
    const Word word = word_.load(P::relaxed);  // S10
    return (word & kDropping) != 0 ||
           ((word & kClosed) != 0 && Pending(word) == 0);
  }

  // Returns after an instant during the call at which nothing was pending.
  void WaitIdle() {
    // S6 pairs with S4.
    if (Pending(word_.load(P::Order(kIdle, P::acquire))) == 0) return;
    typename P::Lock lock(idle_mutex_);
    while (AnnounceIdleWaiter()) idle_.wait(lock);
  }

 private:
  static constexpr Word kClosed = 1;
  static constexpr Word kDropping = 2;
  static constexpr Word kWaiting = 4;
  static constexpr Word kOne =
      Word{1} << (std::numeric_limits<Word>::digits - kPendingBits);
  static_assert(kOne > kWaiting, "pending would overlap the flags");

  static constexpr Word Pending(Word word) { return word / kOne; }

  template <class Admits>
  bool Raise(Admits admits) {
    Word word = word_.load(P::relaxed);  // S1
    while (admits(word)) {
      const Word raised = static_cast<Word>(word + kOne);
      if (word_.compare_exchange_weak(word, raised, P::relaxed)) {  // S2
        return true;
      }
    }
    return false;
  }

  // Under idle_mutex_. Returns false if nothing is pending.
  bool AnnounceIdleWaiter() {
    Word word = word_.load(P::Order(kIdle, P::acquire));  // S6
    do {
      if (Pending(word) == 0) return false;
      // S7 is S6 again when it fails.
    } while (!word_.compare_exchange_weak(word, word | kWaiting,
                                          P::Order(kIdle, P::acquire)));
    return true;
  }

  // The mutex makes clearing the bit and notifying one step for whoever
  // announces: without it a waiter that sets the bit between the two sleeps
  // though the notification it counts on has gone by.
  void NotifyIdle() {
    typename P::Lock lock(idle_mutex_);
    word_.fetch_and(static_cast<Word>(~kWaiting), P::relaxed);  // S8
    idle_.notify_all();
  }

  typename P::template Atomic<Word> word_{kClosed};
  typename P::Mutex idle_mutex_;
  typename P::CondVar idle_;
};

}  // namespace workerpool::inline v1
