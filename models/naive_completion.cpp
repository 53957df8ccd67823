// Faults between a task that ends and who waits for it, each on a protocol of a
// few lines: as it was, and with the smallest fix.
#include <functional>
#include <optional>
#include <type_traits>

#include "naive.h"

namespace models {
namespace {

using P = NaivePlatform;

// The count changes outside the lock under which the waiter tests it: the
// notification comes between its test and its sleep.
template <bool kFixed>
struct NaiveLastCompletionWakesTheWaiter
    : NaiveModel<NaiveLastCompletionWakesTheWaiter<kFixed>, kFixed, 2> {
  static constexpr const char* kSentence = "NaiveLastCompletionWakesTheWaiter";
  static constexpr const char* kProperty = "WaitIdle returns";
  static constexpr const char* kBounds = "1 completion, 1 waiter";

  P::Atomic<int> pending{1};
  P::Mutex mutex;
  P::CondVar idle;

  void Run(unsigned index) {
    if (index == 0) {
      std::optional<P::Lock> lock;
      if (kFixed) lock.emplace(mutex);
      if (pending.fetch_sub(1, P::release) == 1) idle.notify_all();
    } else {
      P::Lock lock(mutex);
      while (pending.load(P::acquire) != 0) idle.wait(lock);
    }
  }
};

// Between leaving the queue and being counted as running a task is in neither
// count: the waiter returns too early.
template <bool kFixed>
struct NaiveIdleMeansThatNothingRuns
    : NaiveModel<NaiveIdleMeansThatNothingRuns<kFixed>, kFixed, 2, 0,
                 rl::test_result_user_assert_failed> {
  static constexpr const char* kSentence = "NaiveIdleMeansThatNothingRuns";
  static constexpr const char* kProperty = "WaitIdle returns no earlier";
  static constexpr const char* kBounds = "1 worker, 1 task, 1 waiter";

  P::Mutex mutex;
  P::CondVar idle;
  P::Var<int> queued{1}, running{0};
  bool ran = false;

  void Run(unsigned index) {
    if (index == 0) {
      Work();
      return;
    }
    P::Lock lock(mutex);
    while (queued.Read() + running.Read() != 0) idle.wait(lock);
    RL_ASSERT(ran);
  }
  void Work() {
    {
      P::Lock lock(mutex);
      --queued.Write();
      if (!kFixed) {
        lock.unlock();
        lock.lock();
      }
      ++running.Write();
    }
    ran = true;
    {
      P::Lock lock(mutex);
      --running.Write();
    }
    idle.notify_all();
  }
};

// The waiter is free to destroy what it waited on as soon as it knows; who
// notifies afterwards touches it.
template <bool kFixed>
struct NaiveWaiterMayDestroyAtOnce
    : NaiveModel<NaiveWaiterMayDestroyAtOnce<kFixed>, kFixed, 2, 0,
                 rl::test_result_access_to_freed_memory> {
  static constexpr const char* kSentence = "NaiveWaiterMayDestroyAtOnce";
  static constexpr const char* kProperty = "last touch";
  static constexpr const char* kBounds = "1 notifier, 1 waiter";

  P::Mutex mutex;
  P::Var<bool> done{false};
  std::optional<P::CondVar> wakeup{std::in_place};

  void Run(unsigned index) {
    if (index == 0) {
      P::Lock lock(mutex);
      done.Write() = true;
      if (!kFixed) lock.unlock();
      wakeup->notify_one();
      return;
    }
    {
      P::Lock lock(mutex);
      while (!done.Read()) wakeup->wait(lock);
    }
    wakeup.reset();
  }
};

// A thread that stops and joins when it is destroyed, as a member.
template <class Owner>
class JoiningWorker {
 public:
  explicit JoiningWorker(Owner& owner)
      : owner_(owner), thread_("worker", [&owner] { owner.Work(); }) {}
  ~JoiningWorker() {
    owner_.Stop();
    thread_.join();
  }

 private:
  Owner& owner_;
  P::Thread thread_;
};

// Members die in the reverse of their order: what the worker uses must be
// declared before the worker.
template <bool kFixed>
struct NaiveWorkerDiesBeforeWhatItUses
    : NaiveModel<NaiveWorkerDiesBeforeWhatItUses<kFixed>, kFixed, 1, 1,
                 rl::test_result_usage_of_non_initialized_condvar> {
  static constexpr const char* kSentence = "NaiveWorkerDiesBeforeWhatItUses";
  static constexpr const char* kProperty = "member order";
  static constexpr const char* kBounds = "1 worker, construction, destruction";

  struct Shared {
    P::Mutex mutex;
    P::Var<bool> stopped{false};
    std::optional<P::CondVar> wakeup{std::in_place};

    void Work() {
      P::Lock lock(mutex);
      while (!stopped.Read()) wakeup->wait(lock);
    }
    void Stop() {
      {
        P::Lock lock(mutex);
        stopped.Write() = true;
      }
      wakeup->notify_all();
    }
  };
  // The condition variable's lifetime as a member of its own, before or after
  // the worker.
  struct Ends {
    Shared& shared;
    ~Ends() { shared.wakeup.reset(); }
  };
  struct WorkerLast {
    Ends ends;
    JoiningWorker<Shared> worker;
    explicit WorkerLast(Shared& shared) : ends{shared}, worker(shared) {}
  };
  struct WorkerFirst {
    JoiningWorker<Shared> worker;
    Ends ends;
    explicit WorkerFirst(Shared& shared) : worker(shared), ends{shared} {}
  };

  Shared shared;

  void Run(unsigned) {
    std::conditional_t<kFixed, WorkerLast, WorkerFirst> pool(shared);
  }
};

// What follows the task's call is skipped when that throws.
template <bool kFixed>
struct NaiveThrowingTaskCompletes
    : NaiveModel<NaiveThrowingTaskCompletes<kFixed>, kFixed, 2> {
  static constexpr const char* kSentence = "NaiveThrowingTaskCompletes";
  static constexpr const char* kProperty = "a task that throws is done, too";
  static constexpr const char* kBounds = "1 task that throws, 1 waiter";

  P::Mutex mutex;
  P::CondVar idle;
  P::Var<int> pending{1};

  void Run(unsigned index) {
    if (index == 0) {
      try {
        if (kFixed) {
          P::Contain([] { throw 1; }, [](std::exception_ptr) {});
        } else {
          throw 1;
        }
        Complete();
      } catch (int) {
      }
      return;
    }
    P::Lock lock(mutex);
    while (pending.Read() != 0) idle.wait(lock);
  }
  void Complete() {
    {
      P::Lock lock(mutex);
      --pending.Write();
    }
    idle.notify_all();
  }
};

// A submit counts its task as pending, then cannot queue it.
template <bool kFixed>
struct NaiveFailedSubmitIsNotPending
    : NaiveModel<NaiveFailedSubmitIsNotPending<kFixed>, kFixed, 1> {
  static constexpr const char* kSentence = "NaiveFailedSubmitIsNotPending";
  static constexpr const char* kProperty = "a Submit that throws takes nothing";
  static constexpr const char* kBounds = "1 Submit that throws, 1 waiter";

  P::Mutex mutex;
  P::CondVar idle;
  P::Var<int> pending{0};

  void Run(unsigned) {
    try {
      Submit();
    } catch (int) {
    }
    P::Lock lock(mutex);
    while (pending.Read() != 0) idle.wait(lock);
  }
  void Submit() {
    Add(1);
    try {
      throw 1;  // no memory
    } catch (int) {
      if (kFixed) Add(-1);
      throw;
    }
  }
  void Add(int count) {
    P::Lock lock(mutex);
    pending.Write() += count;
  }
};

// Whoever wakes up without a reason must look again. The tree search knows no
// such wake-ups; the random search does.
template <bool kFixed>
struct NaiveWakeUpIsNoReason
    : NaiveModel<NaiveWakeUpIsNoReason<kFixed>, kFixed, 2, 0,
                 rl::test_result_user_assert_failed> {
  static constexpr const char* kSentence = "NaiveWakeUpIsNoReason";
  static constexpr const char* kProperty = "spurious wake-ups change nothing";
  static constexpr const char* kBounds = "1 completion, 1 waiter";
  static constexpr Plan kPlan{.quick_bound = kFixed ? 2u : 0u,
                              .bound = kFixed ? 2u : 0u,
                              .beyond = kFixed ? 3u : 0u};

  P::Mutex mutex;
  P::CondVar idle;
  P::Var<int> pending{1};

  void Run(unsigned index) {
    P::Lock lock(mutex);
    if (index == 0) {
      --pending.Write();
      idle.notify_all();
      return;
    }
    if (kFixed) {
      while (pending.Read() != 0) idle.wait(lock);
    } else if (pending.Read() != 0) {
      idle.wait(lock);
    }
    RL_ASSERT(pending.Read() == 0);
  }
};

// A capture whose destructor submits dies while the queue is locked.
template <bool kFixed>
struct NaiveCapturesDieUnderNoLock
    : NaiveModel<NaiveCapturesDieUnderNoLock<kFixed>, kFixed, 1, 0,
                 rl::test_result_recursion_on_nonrecursive_mutex> {
  static constexpr const char* kSentence = "NaiveCapturesDieUnderNoLock";
  static constexpr const char* kProperty = "no user code under a lock";
  static constexpr const char* kBounds = "1 task whose capture submits";

  P::Mutex mutex;
  P::Var<int> submitted{0};

  struct Capture {
    explicit Capture(NaiveCapturesDieUnderNoLock& where) : pool(where) {}
    NaiveCapturesDieUnderNoLock& pool;
    ~Capture() { pool.Submit(); }
  };

  void Submit() {
    P::Lock lock(mutex);
    ++submitted.Write();
  }
  void Run(unsigned) {
    std::optional<Capture> task;
    task.emplace(*this);
    {
      P::Lock lock(mutex);
      if (!kFixed) task.reset();  // as a queue does that overwrites its slot
    }
    task.reset();
    RL_ASSERT(submitted.Read() == 1);
  }
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<
      NaiveLastCompletionWakesTheWaiter<false>,
      NaiveLastCompletionWakesTheWaiter<true>,
      NaiveIdleMeansThatNothingRuns<false>, NaiveIdleMeansThatNothingRuns<true>,
      NaiveWaiterMayDestroyAtOnce<false>, NaiveWaiterMayDestroyAtOnce<true>,
      NaiveWorkerDiesBeforeWhatItUses<false>,
      NaiveWorkerDiesBeforeWhatItUses<true>, NaiveThrowingTaskCompletes<false>,
      NaiveThrowingTaskCompletes<true>, NaiveFailedSubmitIsNotPending<false>,
      NaiveFailedSubmitIsNotPending<true>, NaiveWakeUpIsNoReason<false>,
      NaiveWakeUpIsNoReason<true>, NaiveCapturesDieUnderNoLock<false>,
      NaiveCapturesDieUnderNoLock<true>>(argc, argv);
}
