// A worker's loop: dequeue, run, destroy, complete; wait; leave.
//
//   look    Pop gave a task       -> run it, destroy it, complete, look
//           the session is over   -> leave
//           the queue says empty  -> wait until that may have changed, look
//           otherwise             -> pause, look
//
// In ShutdownNow the caller works along, but drops what it takes, and the
// workers leave after the task they are at.
//
// A failed Pop is never a reason to sleep or to leave: it may be spurious
// (task_ring.h, C3). Sleep is decided by LooksEmpty (C2), leaving by the
// session, which also knows what is still running and may submit more.
#pragma once

#include <cstddef>
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

  // Counts one accepted task as done, run or not. False: begin no other.
  bool Complete() {
    const Completed completed = session.Complete();
    if (completed == Completed::kLast) wait.NotifyAll();
    return completed == Completed::kOne;
  }

  // Takes tasks and waits for more, until handle(task) returns false, or there
  // is none and may_leave() holds.
  template <class Handle, class MayLeave>
  void TakeTasks(Handle handle, MayLeave may_leave) {
    typename Wait::PerWorker mine;
    for (;;) {
      Task task;
      if (queue.Pop(task)) {
        wait.Found(mine);
        if (!handle(task)) return;
      } else if (may_leave()) {
        return;
      } else if (queue.LooksEmpty()) {
        wait.Wait(
            mine, [&] { return !queue.LooksEmpty() || may_leave(); },
            [this] { return !session.IsOpen(); });
      } else {
        P::Pause();
      }
    }
  }

  // Destroys what is queued, here, until the session is over, and returns how
  // many tasks that were.
  std::size_t DropUntilOver() {
    std::size_t dropped = 0;
    const auto drop = [&](Task& task) {
      task.Reset();
      ++dropped;
      Complete();
      return true;
    };
    TakeTasks(drop, [this] { return session.IsOver(); });
    return dropped;
  }
};

template <Platform P, class Wait, class Queue, class OnException>
class Worker {
 public:
  Worker(Workplace<P, Wait, Queue>& workplace, OnException& on_exception)
      : workplace_(workplace), on_exception_(on_exception) {}

  // Returns when the session is over, or others drop what is left. If a task
  // ends the thread (pthread_exit), that passes through here with the task
  // completed.
  void WorkUntilOver() {
    workplace_.TakeTasks(
        [this](Task& task) { return Run(task); },
        [this] { return workplace_.session.WorkersMayLeave(); });
  }

 private:
  // The order is the promise: the callable and its captures die, then the task
  // completes, then WaitIdle or Shutdown may return.
  bool Run(Task& task) {
    bool go_on = true;
    {
      struct Completion {
        Workplace<P, Wait, Queue>& workplace;
        Task& task;
        bool& go_on;
        ~Completion() {
          task.Reset();
          go_on = workplace.Complete();
        }
      } const completion{workplace_, task, go_on};
      P::Contain([&] { task(); },
                 [&](std::exception_ptr error) { on_exception_(error); });
    }
    return go_on;
  }

  Workplace<P, Wait, Queue>& workplace_;
  OnException& on_exception_;
};

}  // namespace workerpool::inline v1
