// TaskQueue is the original's queue in front of a pool: it holds tasks while
// no session would accept them, and hands them over when one opens.
//
//   the pool is            Enqueue
//   stopped or starting    holds the task for the next session
//   running                submits it: the pool wakes a worker
//   draining               a task of the pool submits; others hold
//   dropping               holds
//   being destroyed        the caller's error, as for Submit
//
// Held tasks are not accepted yet: they enter when a session opens, survive a
// Startup that fails, and die with the queue. Every function takes the queue's
// mutex, which makes "refused, so hold it" and "open, and let the held ones
// in" exclude each other: else a task refused just before the session opens
// would be held just after, and stay. Where that mutex matters, submit to the
// pool itself.
// Checked in models/task_queue.cpp and tests/task_queue_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <utility>

#include "platform.h"
#include "task.h"

namespace workerpool::inline v1 {

// What a TaskQueue asks of the pool it belongs to.
class TaskSink {
 public:
  // Accepts the task into the running session, or returns false and leaves it.
  virtual bool TryAccept(Task& task) = 0;
  // Takes an accepted task out of the pool, for a caller outside it.
  virtual bool TakeOut(Task& task) = 0;
  virtual bool LooksEmpty() const = 0;

  // Three steps of a session that opens, by the thread that opens it: the
  // pool's queue is empty, its workers wait at the gate.
  virtual void PushHeld(Task&& task) = 0;
  virtual void PopHeld(Task& task) = 0;
  virtual void Open(std::size_t held) = 0;

 protected:
  ~TaskSink() = default;
};

// Thread-safe. Must outlive the pool that was given it.
template <Platform P>
class BasicTaskQueue {
 public:
  // `size_hint`: tasks that find room without an allocation; not a bound.
  explicit BasicTaskQueue(std::size_t size_hint) : size_hint_(size_hint) {
    if (size_hint == 0) {
      throw std::invalid_argument(
          "workerpool: a task queue's size must be > 0");
    }
  }

  BasicTaskQueue(const BasicTaskQueue&) = delete;
  BasicTaskQueue& operator=(const BasicTaskQueue&) = delete;

  // Submits or holds the task, a copyable callable; std::invalid_argument if it
  // is empty. The callable travels as a std::function, whose moves run no user
  // code: tasks are moved under the mutex here.
  void Enqueue(std::function<void()> task) {
    if (!task) {
      throw std::invalid_argument("workerpool: the task is an empty callable");
    }
    std::list<Task> node;
    node.emplace_back(std::move(task));
    typename P::Lock lock(mutex_);
    // Nothing held is overtaken by its own submitter: what one held while the
    // session was closed has entered before the session accepts it again.
    if (sink_.Read() != nullptr && sink_.Read()->TryAccept(node.front())) {
      return;
    }
    held_.Write().splice(held_.Write().end(), node);
  }

  // Takes one task out, held or accepted; it will not run in the pool. False
  // if there is none. Waits for a submitter that is about to publish one.
  bool Dequeue(std::function<void()>& task) {
    // All that allocates comes before anything can be lost.
    const auto taken = std::make_shared<Task>();
    std::function<void()> wrapped = [taken] { (*taken)(); };
    if (!Take(*taken)) return false;
    task = std::move(wrapped);
    return true;
  }

  // Nothing held and nothing accepted that waits for a worker. May say "no" of
  // an empty queue: while the last task is being taken, and after a Submit that
  // threw, until the next task is taken.
  bool IsEmpty() const {
    typename P::Lock lock(mutex_);
    return held_.Read().empty() &&
           (sink_.Read() == nullptr || sink_.Read()->LooksEmpty());
  }

  std::size_t SizeHint() const { return size_hint_; }

  // For the pool. One pool per queue: std::invalid_argument for a second.
  void Attach(TaskSink& sink) {
    typename P::Lock lock(mutex_);
    if (sink_.Read() != nullptr) {
      throw std::invalid_argument(
          "workerpool: the task queue belongs to another pool already");
    }
    sink_.Write() = &sink;
  }

  // Nothing happens if the queue belongs to another pool: the one that was
  // refused is destroyed, too.
  void Detach(const TaskSink& sink) {
    typename P::Lock lock(mutex_);
    if (sink_.Read() != &sink) return;
    sink_.Write() = nullptr;
    while (taking_.Read() != 0) taken_.wait(lock);
  }

  // Lets the held tasks into the session that opens. If that throws (out of
  // memory), all are held again, in their order, and nothing has opened.
  void EnterSession(TaskSink& pool) {
    typename P::Lock lock(mutex_);
    // A Dequeue that found nothing held may still look into the pool. It would
    // take, and complete, a task that no session has counted yet.
    while (taking_.Read() != 0) taken_.wait(lock);
    std::list<Task>& held = held_.Write();
    auto next = held.begin();
    try {
      for (; next != held.end(); ++next) pool.PushHeld(std::move(*next));
    } catch (...) {
      for (auto task = held.begin(); task != next; ++task) pool.PopHeld(*task);
      throw;
    }
    pool.Open(held.size());
    held.clear();
  }

 private:
  bool Take(Task& task) {
    typename P::Lock lock(mutex_);
    std::list<Task>& held = held_.Write();
    if (!held.empty()) {
      task = std::move(held.front());
      held.pop_front();
      return true;
    }
    TaskSink* const sink = sink_.Read();
    if (sink == nullptr) return false;
    // Not under the mutex: what was submitted to the pool itself may have a
    // move constructor, and that is user code. Detach waits for us instead.
    ++taking_.Write();
    lock.unlock();
    const bool took = sink->TakeOut(task);
    lock.lock();
    --taking_.Write();
    taken_.notify_one();  // one can wait: Detach, or EnterSession before it
    return took;
  }

  const std::size_t size_hint_;
  mutable typename P::Mutex mutex_;
  typename P::template Var<std::list<Task>> held_;
  typename P::template Var<TaskSink*> sink_{nullptr};
  typename P::template Var<std::size_t> taking_{std::size_t{0}};
  typename P::CondVar taken_;
};

}  // namespace workerpool::inline v1
