// A worker's loop: dequeue, run, destroy, complete; wait; leave.
//
//   look    Pop gave a task       -> run it, destroy it, complete, look
//           the session is over   -> leave
//           the queue says empty  -> wait until that may have changed, look
//           otherwise             -> pause, look
//
// A failed Pop is never a reason to sleep or to leave: it may be spurious
// (task_ring.h, C3). Sleep is decided by LooksEmpty (C2), leaving by the
// session, which also knows what is still running and may submit more.
#pragma once

#include <exception>

#include "platform.h"
#include "session.h"
#include "task.h"

namespace workerpool::inline v1 {

// What the workers of a pool share.
template <Platform P, class Wait, class Queue>
struct Workplace {
  Session<P> session;
  Queue queue;
  Wait wait;

  // Counts one accepted task as done, run or not.
  void Complete() {
    if (session.Complete()) wait.NotifyAll();
  }
};

template <Platform P, class Wait, class Queue, class OnException>
class Worker {
 public:
  Worker(Workplace<P, Wait, Queue>& workplace, OnException& on_exception)
      : workplace_(workplace), on_exception_(on_exception) {}

  // Returns when the session is over. If a task ends the thread
  // (pthread_exit), that passes through here with the task completed.
  void WorkUntilOver() {
    typename Wait::PerWorker mine;
    for (;;) {
      Task task;
      if (workplace_.queue.Pop(task)) {
        Run(task);
        workplace_.wait.Found(mine);
      } else if (workplace_.session.IsOver()) {
        return;
      } else if (workplace_.queue.LooksEmpty()) {
        workplace_.wait.Wait(
            mine,
            [this] {
              return !workplace_.queue.LooksEmpty() ||
                     workplace_.session.IsOver();
            },
            [this] { return !workplace_.session.IsOpen(); });
      } else {
        P::Pause();
      }
    }
  }

 private:
  // The order is the promise: the callable and its captures die, then the task
  // completes, then WaitIdle or Shutdown may return.
  void Run(Task& task) {
    struct Completion {
      Workplace<P, Wait, Queue>& workplace;
      Task& task;
      ~Completion() {
        task.Reset();
        workplace.Complete();
      }
    } const completion{workplace_, task};
    P::Contain([&] { task(); },
               [&](std::exception_ptr error) { on_exception_(error); });
  }

  Workplace<P, Wait, Queue>& workplace_;
  OnException& on_exception_;
};

}  // namespace workerpool::inline v1
