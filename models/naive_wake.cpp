// Faults between who has work and who sleeps, each on a protocol of a few
// lines: as it was, and with the smallest fix.
#include "naive.h"
#include "pool/task_ring.h"

namespace models {
namespace {

using P = NaivePlatform;

// How a submitter decides whether anybody must be woken, and how a worker goes
// to sleep.
struct Parking {
  rl::memory_order submit_fence = rl::mo_seq_cst;  // relaxed: none
  rl::memory_order park_fence = rl::mo_seq_cst;
  bool looks_again = true;  // once it is registered as a sleeper
  bool by_rmw = false;      // instead of the fences, both on the same word
};

void Fence(rl::memory_order order, WORKERPOOL_WHERE) {
  if (order != rl::mo_relaxed) rl::atomic_thread_fence(order, At(file, line));
}

// One submission races one worker that is falling asleep. Whoever comes second
// must see what the first one wrote: that takes a full fence on both sides (or
// an RMW of the same word by both), and a look after the registration.
template <class Case>
struct NaiveParkedWorkerIsWoken : Model<NaiveParkedWorkerIsWoken<Case>, 2> {
  static std::string Name() {
    return std::string("NaiveParkedWorkerIsWoken<") + Case::kName + ">";
  }
  static constexpr const char* kProperty = "a submit wakes who falls asleep";
  static constexpr const char* kBounds = "1 submitter, 1 task, 1 worker";
  static constexpr rl::test_result_e kExpected =
      Case::kPasses ? rl::test_result_success : rl::test_result_deadlock;
  static constexpr Parking kHow = Case::kHow;

  P::Atomic<int> queued{0};
  P::Atomic<int> sleeping{0};
  Latch wakeup;

  void Submit() {
    queued.store(1, P::relaxed);
    Fence(kHow.submit_fence);
    const int sleepers = kHow.by_rmw ? sleeping.fetch_add(0, rl::mo_acq_rel)
                                     : sleeping.load(P::relaxed);
    if (sleepers != 0) wakeup.Post();
  }
  void Work() {
    while (queued.load(P::relaxed) == 0) {
      sleeping.fetch_add(1, kHow.by_rmw ? rl::mo_acq_rel : P::relaxed);
      Fence(kHow.park_fence);
      if (kHow.looks_again && queued.load(P::relaxed) != 0) return;
      wakeup.Wait();
    }
  }
  void Run(unsigned index) { index == 0 ? Submit() : Work(); }
};

struct FencedOnBothSides {
  static constexpr const char* kName = "full fences";
  static constexpr bool kPasses = true;
  static constexpr Parking kHow{};
};
struct ModifiedOnBothSides {
  static constexpr const char* kName = "read-modify-writes";
  static constexpr bool kPasses = true;
  static constexpr Parking kHow{.submit_fence = rl::mo_relaxed,
                                .park_fence = rl::mo_relaxed,
                                .by_rmw = true};
};
struct PlainLoad {
  static constexpr const char* kName = "plain load";
  static constexpr bool kPasses = false;
  static constexpr Parking kHow{.submit_fence = rl::mo_relaxed,
                                .park_fence = rl::mo_relaxed};
};
struct SubmitterFenced {
  static constexpr const char* kName = "fence of the submitter alone";
  static constexpr bool kPasses = false;
  static constexpr Parking kHow{.park_fence = rl::mo_relaxed};
};
struct WorkerFenced {
  static constexpr const char* kName = "fence of the worker alone";
  static constexpr bool kPasses = false;
  static constexpr Parking kHow{.submit_fence = rl::mo_relaxed};
};
struct FencedTooWeakly {
  static constexpr const char* kName = "acq_rel fences";
  static constexpr bool kPasses = false;
  static constexpr Parking kHow{.submit_fence = rl::mo_acq_rel,
                                .park_fence = rl::mo_acq_rel};
};
struct RegisteredTooLate {
  static constexpr const char* kName = "no look once registered";
  static constexpr bool kPasses = false;
  static constexpr Parking kHow{.looks_again = false};
};

// A worker that has not begun yet misses a stop that is a mere notification.
template <bool kFixed>
struct NaiveStopReachesALateWorker
    : NaiveModel<NaiveStopReachesALateWorker<kFixed>, kFixed, 1, 1> {
  static constexpr const char* kSentence = "NaiveStopReachesALateWorker";
  static constexpr const char* kProperty = "Shutdown always returns";
  static constexpr const char* kBounds = "1 worker, 1 Shutdown";

  P::Mutex mutex;
  P::CondVar wakeup;
  P::Var<bool> stopped{false};

  void Run(unsigned) {
    P::Thread worker("worker", [this] { Work(); });
    {
      P::Lock lock(mutex);
      stopped.Write() = true;
    }
    wakeup.notify_all();
    worker.join();
  }
  void Work() {
    P::Lock lock(mutex);
    if constexpr (kFixed) {
      while (!stopped.Read()) wakeup.wait(lock);
    } else {
      wakeup.wait(lock);  // as an edge: whoever wakes has been stopped
    }
  }
};

// A worker that was told to leave is woken for a task, leaves, and keeps the
// wake-up: the other sleeps on beside the task. It must pass the wake-up on.
template <bool kFixed>
struct NaiveLeaverPassesItsWakeUpOn
    : NaiveModel<NaiveLeaverPassesItsWakeUpOn<kFixed>, kFixed, 3> {
  static constexpr const char* kSentence = "NaiveLeaverPassesItsWakeUpOn";
  static constexpr const char* kProperty = "no sleep beside a queued task";
  static constexpr const char* kBounds = "2 workers, 1 is to leave, 1 task";

  P::Mutex mutex;
  P::CondVar wakeup;
  P::Var<bool> one_leaves{false}, queued{false}, stopped{false};
  Latch ran;

  void Run(unsigned index) {
    if (index != 0) return Work();
    Set(one_leaves);  // at its next wake-up: nobody is woken for it
    Set(queued);
    wakeup.notify_one();
    ran.Wait();
    Set(stopped);
    wakeup.notify_all();
  }
  void Set(P::Var<bool>& flag) {
    P::Lock lock(mutex);
    flag.Write() = true;
  }
  void Work() {
    P::Lock lock(mutex);
    for (;;) {
      if (one_leaves.Read()) {
        one_leaves.Write() = false;
        if (kFixed) wakeup.notify_one();
        return;
      }
      if (queued.Read()) {
        queued.Write() = false;
        ran.Post();
      } else if (stopped.Read()) {
        return;
      } else {
        wakeup.wait(lock);
      }
    }
  }
};

// An add that is undone on refusal makes a session that is over look as if a
// task were pending: a worker that looks then sleeps, its wake-up has gone by.
template <bool kFixed>
struct NaiveRefusalLeavesNoWorkerBehind
    : NaiveModel<NaiveRefusalLeavesNoWorkerBehind<kFixed>, kFixed, 2, 1> {
  static constexpr const char* kSentence = "NaiveRefusalLeavesNoWorkerBehind";
  static constexpr const char* kProperty = "a refusal writes nothing";
  static constexpr const char* kBounds = "1 worker, 1 refused, 1 Shutdown";
  static constexpr int kClosed = 1, kOne = 2;

  P::Atomic<int> word{0};
  P::Mutex mutex;
  P::CondVar wakeup;

  void Run(unsigned index) {
    if (index == 0) {
      if (Accept()) Complete();
      return;
    }
    P::Thread worker("worker", [this] {
      P::Lock lock(mutex);
      while (word.load(P::relaxed) != kClosed) wakeup.wait(lock);
    });
    word.fetch_or(kClosed, P::relaxed);
    NotifyAll();
    worker.join();
  }
  bool Accept() {
    if constexpr (kFixed) {
      int seen = word.load(P::relaxed);
      while ((seen & kClosed) == 0) {
        if (word.compare_exchange_weak(seen, seen + kOne, P::relaxed)) {
          return true;
        }
      }
      return false;
    }
    if ((word.fetch_add(kOne, P::relaxed) & kClosed) == 0) return true;
    word.fetch_sub(kOne, P::relaxed);
    return false;
  }
  void Complete() {
    if (word.fetch_sub(kOne, P::relaxed) == kClosed + kOne) NotifyAll();
  }
  void NotifyAll() {
    { P::Lock lock(mutex); }
    wakeup.notify_all();
  }
};

// The shipping ring hides a task from Pop while an earlier submitter has not
// published. If that one fails, nobody notifies for it: whoever went to sleep
// because Pop had failed sleeps on beside a task.
template <bool kFixed>
struct NaiveFailedPopIsNoReasonToSleep
    : NaiveModel<NaiveFailedPopIsNoReasonToSleep<kFixed>, kFixed, 3> {
  static constexpr const char* kSentence = "NaiveFailedPopIsNoReasonToSleep";
  static constexpr const char* kProperty = "no sleep beside a queued task";
  static constexpr const char* kBounds =
      "1 throw and 1 task of 2 submitters, 1 worker, ring of 2";

  struct Throws {
    Throws() = default;
    Throws(Throws&&) noexcept(false) { throw 1; }
    void operator()() const {}
  };

  workerpool::TaskRing<P> ring{2};
  P::Mutex mutex;
  P::CondVar wakeup;
  unsigned runs = 0;

  void Run(unsigned index) {
    if (index == 0) {
      try {
        ring.Push(Throws());
      } catch (int) {
      }
    } else if (index == 1) {
      ring.Push([this] { ++runs; });
      { P::Lock lock(mutex); }
      wakeup.notify_one();
    } else {
      workerpool::Task task;
      Take(task);
      task();
    }
  }
  void Take(workerpool::Task& task) {
    if constexpr (kFixed) {
      while (!ring.Pop(task)) {
        {
          P::Lock lock(mutex);
          while (ring.LooksEmpty()) wakeup.wait(lock);
        }
        P::Pause();
      }
    } else {
      P::Lock lock(mutex);
      while (!ring.Pop(task)) wakeup.wait(lock);
    }
  }
  void after() { RL_ASSERT(runs == 1); }
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<
      NaiveParkedWorkerIsWoken<FencedOnBothSides>,
      NaiveParkedWorkerIsWoken<ModifiedOnBothSides>,
      NaiveParkedWorkerIsWoken<PlainLoad>,
      NaiveParkedWorkerIsWoken<SubmitterFenced>,
      NaiveParkedWorkerIsWoken<WorkerFenced>,
      NaiveParkedWorkerIsWoken<FencedTooWeakly>,
      NaiveParkedWorkerIsWoken<RegisteredTooLate>,
      NaiveStopReachesALateWorker<false>, NaiveStopReachesALateWorker<true>,
      NaiveLeaverPassesItsWakeUpOn<false>, NaiveLeaverPassesItsWakeUpOn<true>,
      NaiveRefusalLeavesNoWorkerBehind<false>,
      NaiveRefusalLeavesNoWorkerBehind<true>,
      NaiveFailedPopIsNoReasonToSleep<false>,
      NaiveFailedPopIsNoReasonToSleep<true>>(argc, argv);
}
