// WorkerPool runs submitted tasks on a fixed number of threads.
//
//   Submit -> session: accept or refuse -> queue -> wait strategy: wake
//          -> worker: run, destroy -> complete -> look again, wait or leave
//
//   state      Submit, TrySubmit         Startup    Shutdown    ShutdownNow
//   stopped    refused                   starts     returns     returns 0
//   starting   refused                   waits      waits       waits
//   running    accepted                  returns    drains      drops
//   draining   from a task: accepted;    waits      waits       drops, both end
//              else refused
//   dropping   refused                   waits      waits       waits, 0
//
// Dropping is draining with dropping_ set. These states belong to Startup and
// the Shutdowns, which take the control mutex and never hold it while they
// create or join threads. Submit and the
// workers know only the session's word (session.h).
// The promises are in the project's README.md; the invariants, and why they
// hold, in README.md here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "backoff_wait.h"
#include "condvar_wait.h"
#include "exception_report.h"
#include "options.h"
#include "platform.h"
#include "session.h"
#include "std_platform.h"
#include "task.h"
#include "task_queue.h"
#include "task_ring.h"
#include "wait_strategy.h"
#include "worker.h"
#include "worker_pool_fwd.h"
#include "worker_threads.h"

namespace workerpool::inline v1 {

// Thread-safe, except construction and destruction. Queue: see task_ring.h for
// the contract.
template <Platform P, WaitStrategy Wait, class Queue = TaskRing<P>>
class BasicWorkerPool {
 public:
  // std::invalid_argument for a value out of range.
  explicit BasicWorkerPool(WorkerPoolOptions options)
      : BasicWorkerPool(std::move(options), nullptr) {}

  BasicWorkerPool(const std::string& name, std::uint32_t workers)
      : BasicWorkerPool({.name = name, .workers = workers}) {}

  // The original's constructor: tasks held by `queue` enter at Startup. The
  // queue must outlive the pool, and belongs to this pool alone:
  // std::invalid_argument if it has another, or for 0 workers.
  BasicWorkerPool(const std::string& name, std::uint32_t workers,
                  BasicTaskQueue<P>& queue)
      : BasicWorkerPool({.name = name,
                         .workers = workers,
                         .queue_capacity = queue.SizeHint()},
                        &queue) {
    queue.Attach(sink_);
  }

  BasicWorkerPool(const BasicWorkerPool&) = delete;
  BasicWorkerPool& operator=(const BasicWorkerPool&) = delete;

  // Shuts down. On one of the pool's own workers: prints a line and aborts.
  // A thread that is inside any member function by then is in error.
  ~BasicWorkerPool() {
    if (threads_.IsOwn()) {
      P::Die("a pool must not be destroyed by one of its own tasks");
    }
    destroying_.store(true, P::relaxed);  // D1
    Shutdown();
    if (held_ != nullptr) held_->Detach(sink_);
  }

  // Creates the threads and lets tasks in; does nothing if the pool runs, and
  // waits for a Startup or Shutdown under way. std::system_error if a thread
  // cannot be created, or on a worker of this pool while it drains
  // (resource_deadlock_would_occur); std::bad_alloc. The pool is then as
  // before.
  void Startup() {
    typename P::Lock control(control_);
    while (state_.Read() == kStarting || state_.Read() == kDraining) {
      if (state_.Read() == kDraining) RefuseOwnWorker("Startup");
      changed_.wait(control);
    }
    if (state_.Read() == kRunning) return;
    SetState(kStarting);
    control.unlock();
    try {
      threads_.Start([this] { Work(); }, [this] { OpenSession(); });
    } catch (...) {
      control.lock();
      SetState(kStopped);
      throw;
    }
    control.lock();
    SetState(kRunning);
  }

  // Refuses new tasks, runs what was accepted and what those tasks submit, and
  // returns when every worker of the session is gone; so does each of several
  // callers. A task that submits itself for ever keeps it waiting: ShutdownNow
  // is the way out. On a worker of this pool: std::system_error
  // (resource_deadlock_would_occur).
  void Shutdown() {
    RefuseOwnWorker("Shutdown");
    typename P::Lock control(control_);
    if (!SessionRuns(control)) return;
    const std::uint64_t session = sessions_ended_.Read();
    if (state_.Read() == kDraining) return AwaitEndOf(session, control);
    SetState(kDraining);
    control.unlock();
    workplace_.session.Close();
    workplace_.wait.NotifyAll();
    EndSession(session, control);
  }

  // Refuses new tasks, also those that tasks submit, lets the tasks that run
  // finish, destroys those that have not begun, here, and returns how many
  // these were, when every worker of the session is gone. Also during a
  // Shutdown, which then returns, too. Of several callers one drops; to the
  // others it returns 0. Tasks that a TaskQueue holds stay held. The
  // destructors of tasks may call what a task may call, but submit by TrySubmit
  // alone while this is under way: Submit throws, and a destructor must not. On
  // a worker of this pool: std::system_error (resource_deadlock_would_occur).
  std::size_t ShutdownNow() {
    RefuseOwnWorker("ShutdownNow");
    typename P::Lock control(control_);
    if (!SessionRuns(control)) return 0;
    const std::uint64_t session = sessions_ended_.Read();
    const bool others_end_it = state_.Read() == kDraining;
    if (dropping_.Read()) {
      AwaitEndOf(session, control);
      return 0;
    }
    dropping_.Write() = true;
    SetState(kDraining);
    control.unlock();
    const std::size_t dropped = DropTheRest();
    control.lock();
    dropping_.Write() = false;
    if (others_end_it) {
      changed_.notify_all();  // L1
      AwaitEndOf(session, control);
    } else {
      control.unlock();
      EndSession(session, control);
    }
    return dropped;
  }

  // Accepts a task: it runs once before Shutdown returns. Everything before
  // this call happens before the task. std::system_error
  // (operation_not_permitted) if the pool is stopped, or drains and the caller
  // is not one of its tasks; std::invalid_argument for an empty callable. A
  // Submit that throws (also std::bad_alloc, and what copying or moving f
  // throws) has accepted nothing, and an f given as rvalue is untouched unless
  // its own move constructor threw. An lvalue is copied first. The move
  // constructor of f runs while f's place in the queue is reserved: what comes
  // behind it waits, so it must not wait for the pool.
  template <class F>
  void Submit(F&& f) {
    if (!TrySubmit(std::forward<F>(f))) {
      throw std::system_error(
          std::make_error_code(std::errc::operation_not_permitted),
          "workerpool: Submit: the pool is not running");
    }
  }

  // As Submit, but returns false if the task is refused; f is then untouched.
  template <class F>
  [[nodiscard]] bool TrySubmit(F&& f) {
    using Callable = std::decay_t<F>;
    static_assert(
        std::is_same_v<Callable, Task> || std::is_invocable_v<Callable&>,
        "workerpool: a task is called without arguments");
    static_assert(std::is_constructible_v<Callable, F>,
                  "workerpool: an lvalue task is copied; std::move one that "
                  "can only be moved");
    if (IsEmptyCallable(f)) {
      throw std::invalid_argument("workerpool: the task is an empty callable");
    }
    if constexpr (std::is_lvalue_reference_v<F>) {
      // Copied first: a copy constructor may take its time, or call the pool.
      return TrySubmit(Callable(f));
    } else {
      return SubmitRvalue(std::forward<F>(f));
    }
  }

  // Returns after an instant during the call at which no task was queued or
  // running: surely if the pool stays idle, but it may miss a short one. What
  // those tasks did happens before the return. On a worker of this pool:
  // std::system_error (resource_deadlock_would_occur).
  void WaitIdle() {
    RefuseOwnWorker("WaitIdle");
    workplace_.session.WaitIdle();
  }

  // Whether tasks from outside are accepted at this moment.
  bool IsRunning() const { return workplace_.session.IsOpen(); }

  // Whether a ShutdownNow refuses even what tasks submit, at this moment.
  bool IsDropping() const { return workplace_.session.IsDropping(); }

  std::uint32_t NumWorkers() const {
    return static_cast<std::uint32_t>(threads_.Count());
  }

  // How many tasks have let an exception escape.
  std::uint64_t TaskExceptions() const { return report_.Count(); }

 private:
  static constexpr std::uint32_t kMaxWorkers = 65536;

  enum State { kStopped, kStarting, kRunning, kDraining };

  using Worker = workerpool::Worker<P, Wait, Queue, ExceptionReport<P>>;

  BasicWorkerPool(WorkerPoolOptions options, BasicTaskQueue<P>* held)
      : workplace_{{}, Queue(options.queue_capacity), Wait(options.wait)},
        report_(options.name, std::move(options.on_exception)),
        threads_(options.name, CheckedWorkers(options.workers)),
        held_(held) {}

  static std::uint32_t CheckedWorkers(std::uint32_t workers) {
    if (workers == 0) {
      throw std::invalid_argument(
          "workerpool: a pool needs at least one worker");
    }
    if (workers > kMaxWorkers) {
      throw std::invalid_argument(
          "workerpool: more than 65536 workers; was it a negative number?");
    }
    return workers;
  }

  void RefuseOwnWorker(const char* function) const {
    if (threads_.IsOwn()) {
      throw std::system_error(
          std::make_error_code(std::errc::resource_deadlock_would_occur),
          std::string("workerpool: ") + function +
              " from a task of the same pool would wait for itself");
    }
  }

  // Under control_.
  void SetState(State state) {
    state_.Write() = state;
    changed_.notify_all();  // L1: several callers wait for different states
  }

  // Under control_. Waits for a Startup under way; false if the pool stopped.
  bool SessionRuns(typename P::Lock& control) {
    while (state_.Read() == kStarting) changed_.wait(control);
    return state_.Read() != kStopped;
  }

  // Under control_. A number, not the state: the pool may be running again
  // when we look.
  void AwaitEndOf(std::uint64_t session, typename P::Lock& control) {
    while (sessions_ended_.Read() == session) changed_.wait(control);
  }

  // Without control_, by the one thread that set kDraining. Whoever drops has
  // the last tasks in hand: to end before would let go of the pool too early.
  void EndSession(std::uint64_t session, typename P::Lock& control) {
    threads_.Join();
    control.lock();
    while (dropping_.Read() || !workplace_.session.IsOver()) {
      if (dropping_.Read()) {
        changed_.wait(control);
        continue;
      }
      // Only if tasks have ended every worker's thread (pthread_exit).
      control.unlock();
      threads_.StandIn([this] { Work(); });
      control.lock();
    }
    sessions_ended_.Write() = session + 1;
    SetState(kStopped);
  }

  // On this thread, which counts as a worker meanwhile.
  std::size_t DropTheRest() {
    std::size_t dropped = 0;
    threads_.WorkAlong([&] {
      workplace_.session.CloseAndDrop();
      workplace_.wait.NotifyAll();
      dropped = workplace_.DropUntilOver();
      workplace_.session.EndDrop();
    });
    return dropped;
  }

  void Work() { Worker(workplace_, report_).WorkUntilOver(); }

  void OpenSession() {
    if (held_ == nullptr) {
      workplace_.session.Open(0);
    } else {
      held_->EnterSession(sink_);
    }
  }

  template <class F>
  bool SubmitRvalue(F&& f) {
    if (!Accept()) return false;
    // Whatever throws below is a completion like any other.
    struct Acceptance {
      Workplace<P, Wait, Queue>& workplace;
      bool queued = false;
      ~Acceptance() {
        if (!queued) workplace.Complete();
      }
    } acceptance{workplace_};
    workplace_.queue.Push(std::forward<F>(f));
    acceptance.queued = true;
    workplace_.wait.Notify();
    return true;
  }

  bool Accept() {
    if (workplace_.session.Accept()) return true;
    if (threads_.IsOwn()) return workplace_.session.AcceptFromTask();
    P::Check(!destroying_.load(P::relaxed),  // D1
             "Submit to a pool that is being destroyed");
    return false;
  }

  // The pool as its TaskQueue sees it. A member, since a base with virtual
  // functions would make deleting a pool worth a warning.
  class Sink final : public TaskSink {
   public:
    explicit Sink(BasicWorkerPool& pool) : pool_(pool) {}

    bool TryAccept(Task& task) override {
      return pool_.TrySubmit(std::move(task));
    }
    bool TakeOut(Task& task) override {
      while (!pool_.workplace_.queue.Pop(task)) {
        if (pool_.workplace_.queue.LooksEmpty()) return false;
        P::Pause();
      }
      pool_.workplace_.Complete();
      return true;
    }
    bool LooksEmpty() const override {
      return pool_.workplace_.queue.LooksEmpty();
    }
    void PushHeld(Task&& task) override {
      pool_.workplace_.queue.Push(std::move(task));
    }
    void PopHeld(Task& task) override {
      while (!pool_.workplace_.queue.Pop(task)) P::Pause();
    }
    void Open(std::size_t held) override {
      pool_.workplace_.session.Open(held);
    }

   private:
    BasicWorkerPool& pool_;
  };

  Workplace<P, Wait, Queue> workplace_;
  ExceptionReport<P> report_;
  WorkerThreads<P> threads_;
  BasicTaskQueue<P>* const held_;
  Sink sink_{*this};
  typename P::template Atomic<bool> destroying_{false};

  typename P::Mutex control_;  // guards the three below
  typename P::template Var<State> state_{kStopped};
  typename P::template Var<bool> dropping_{false};
  typename P::template Var<std::uint64_t> sessions_ended_{std::uint64_t{0}};
  typename P::CondVar changed_;
};

class BackoffWorkerPool
    : public BasicWorkerPool<StdPlatform, BackoffWait<StdPlatform>> {
 public:
  using BasicWorkerPool::BasicWorkerPool;
};

class CondVarWorkerPool
    : public BasicWorkerPool<StdPlatform, CondVarWait<StdPlatform>> {
 public:
  using BasicWorkerPool::BasicWorkerPool;
};

class TaskQueue : public BasicTaskQueue<StdPlatform> {
 public:
  using BasicTaskQueue::BasicTaskQueue;
};

// The pool with the default strategy.
class WorkerPool : public CondVarWorkerPool {
 public:
  using CondVarWorkerPool::CondVarWorkerPool;
};

}  // namespace workerpool::inline v1
