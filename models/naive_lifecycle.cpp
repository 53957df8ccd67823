// Faults of Startup, Submit and Shutdown against each other, each one part of
// NaivePool left out.
#include "naive_pool.h"

namespace models {
namespace {

using P = NaivePlatform;

// The state was tested, then the task was queued: the workers have left.
template <bool kFixed>
struct NaiveAcceptedTaskRuns
    : NaiveModel<NaiveAcceptedTaskRuns<kFixed>, kFixed, 2, 1,
                 rl::test_result_user_assert_failed> {
  static constexpr const char* kSentence = "NaiveAcceptedTaskRuns";
  static constexpr const char* kProperty = "accepted tasks run, refused do not";
  static constexpr const char* kBounds = "1 worker, 1 task, 1 Shutdown";

  NaivePool<Parts{.accepts_in_one_step = kFixed}> pool{1};
  unsigned accepted = 0, runs = 0;

  void Prepare() { pool.Startup(); }
  void Run(unsigned index) {
    if (index == 0) {
      accepted = pool.Submit([this] { ++runs; }) ? 1 : 0;
    } else {
      pool.Shutdown();
    }
  }
  void after() { RL_ASSERT(runs == accepted); }
};

// A worker takes a task, sees that the pool has been stopped, and leaves.
template <bool kFixed>
struct NaiveTakenTaskRuns : NaiveModel<NaiveTakenTaskRuns<kFixed>, kFixed, 1, 1,
                                       rl::test_result_user_assert_failed> {
  static constexpr const char* kSentence = "NaiveTakenTaskRuns";
  static constexpr const char* kProperty = "a task that was taken runs";
  static constexpr const char* kBounds = "1 worker, 1 task, 1 Shutdown";

  NaivePool<Parts{.runs_what_it_took = kFixed}> pool{1};
  unsigned runs = 0;

  void Prepare() { pool.Startup(); }
  void Run(unsigned) {
    pool.Submit([this] { ++runs; });
    pool.Shutdown();
    RL_ASSERT(runs == 1);
  }
};

// A task of the drain submits two that meet. A worker that left because the
// queue was empty is missing then.
template <bool kFixed>
struct NaiveChildrenOfADrainMeet
    : NaiveModel<NaiveChildrenOfADrainMeet<kFixed>, kFixed, 1, 2> {
  static constexpr const char* kSentence = "NaiveChildrenOfADrainMeet";
  static constexpr const char* kProperty = "a drain keeps its workers";
  static constexpr const char* kBounds =
      "2 workers, 1 task with 1 child that meet, 1 Shutdown";
  static constexpr Plan kPlan{.quick_bound = 1, .bound = 1, .beyond = 2};

  NaivePool<Parts{.stays_for_children = kFixed}> pool{2};
  Latch closing, first, second;

  void Prepare() { pool.Startup(); }
  void Run(unsigned) {
    pool.Submit([this] {
      RL_ASSERT(pool.Submit([this] {
        first.Post();
        second.Wait();
      }));
      second.Post();
      first.Wait();
    });
    pool.Shutdown();
  }
};

// Startup opens the pool before the last session's worker has seen it closed:
// that worker stays, and Shutdown waits for it.
template <bool kFixed>
struct NaiveSessionsDoNotMix
    : NaiveModel<NaiveSessionsDoNotMix<kFixed>, kFixed, 2, 2> {
  static constexpr const char* kSentence = "NaiveSessionsDoNotMix";
  static constexpr const char* kProperty = "Startup against Shutdown";
  static constexpr const char* kBounds = "1 worker, 1 Startup, 2 Shutdowns";

  NaivePool<Parts{.awaits_the_drain = kFixed}> pool{1};
  Latch returned;

  void Prepare() { pool.Startup(); }
  void Run(unsigned index) {
    if (index == 0) {
      pool.Shutdown();
      returned.Post();
    } else {
      pool.Startup();
      returned.Wait();
      pool.Shutdown();
    }
  }
};

// The second thread cannot be created: the first one must not stay behind.
template <bool kFixed>
struct NaiveFailedStartupLeavesNoWorker
    : NaiveModel<NaiveFailedStartupLeavesNoWorker<kFixed>, kFixed, 1, 2,
                 rl::test_result_user_assert_failed> {
  static constexpr const char* kSentence = "NaiveFailedStartupLeavesNoWorker";
  static constexpr const char* kProperty = "Startup: all threads or none";
  static constexpr const char* kBounds = "2 workers, the second fails";

  NaivePool<Parts{.undoes_a_failed_start = kFixed}> pool{2};

  void Run(unsigned) {
    World::Get().fail_creation = 2;
    bool threw = false;
    try {
      pool.Startup();
    } catch (const NoThread&) {
      threw = true;
    }
    RL_ASSERT(threw);
    RL_ASSERT(World::Get().threads_alive == 0);
  }
};

// A task calls Shutdown on its own pool, or waits for it to be idle: the worker
// would wait for itself.
template <bool kFixed, bool kShutdown>
struct NaiveTaskDoesNotWaitForItself
    : NaiveModel<NaiveTaskDoesNotWaitForItself<kFixed, kShutdown>, kFixed, 1,
                 1> {
  static constexpr const char* kSentence =
      kShutdown ? "NaiveTaskDoesNotJoinItself" : "NaiveTaskDoesNotAwaitItself";
  static constexpr const char* kProperty = "no task waits for itself";
  static constexpr const char* kBounds = "1 worker, 1 task";

  NaivePool<Parts{.refuses_its_own_tasks = kFixed}> pool{1};

  void Prepare() { pool.Startup(); }
  void Run(unsigned) {
    pool.Submit([this] {
      const bool waited = kShutdown ? pool.Shutdown() : pool.WaitIdle();
      RL_ASSERT(!waited);
    });
    pool.WaitIdle();
    pool.Shutdown();
  }
};

// As many workers as a machine says that does not know: none.
template <bool kFixed>
struct NaivePoolHasAWorker
    : NaiveModel<NaivePoolHasAWorker<kFixed>, kFixed, 1> {
  static constexpr const char* kSentence = "NaivePoolHasAWorker";
  static constexpr const char* kProperty = "0 workers are an error";
  static constexpr const char* kBounds = "0 workers, 1 task";

  void Run(unsigned) {
    try {
      NaivePool<Parts{.needs_a_worker = kFixed}> pool(0);
      pool.Startup();
      pool.Submit([] {});
      pool.WaitIdle();
      RL_ASSERT(false);
    } catch (const NoWorkers&) {
    }
  }
};

// Shutdown wakes by a token. One that its worker did not need is left over,
// and the next session's worker takes it for its own.
template <bool kFixed>
struct NaiveSecondSessionIsLikeTheFirst
    : NaiveModel<NaiveSecondSessionIsLikeTheFirst<kFixed>, kFixed, 1, 2> {
  static constexpr const char* kSentence = "NaiveSecondSessionIsLikeTheFirst";
  static constexpr const char* kProperty = "nothing is left of a session";
  static constexpr const char* kBounds = "1 worker, 2 sessions, 1 task in each";

  P::Mutex mutex;
  P::Var<bool> stopped{false};
  P::Var<unsigned> queued{0u};
  Latch tokens, ran;

  void Run(unsigned) {
    for (int session = 0; session != 2; ++session) {
      Set(stopped, false);
      P::Thread worker("worker", [this] {
        while (TakeOne()) ran.Post();
      });
      Set(queued, 1u);
      tokens.Post();
      if (session == 1) ran.Wait();  // before Shutdown, which would hide it
      Set(stopped, true);
      tokens.Post();
      worker.join();
      if (session == 0) ran.Wait();
    }
  }
  template <class T>
  void Set(P::Var<T>& variable, T value) {
    P::Lock lock(mutex);
    variable.Write() = value;
  }
  bool TakeOne() {
    for (;;) {
      {
        P::Lock lock(mutex);
        if (queued.Read() == 0 && stopped.Read()) return false;
      }
      tokens.Wait();
      P::Lock lock(mutex);
      if (queued.Read() != 0) {
        queued.Write() = 0;
        return true;
      }
      // Nothing is queued, so the token must have been Shutdown's. Must it?
      if (!kFixed) return false;
    }
  }
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<
      NaiveAcceptedTaskRuns<false>, NaiveAcceptedTaskRuns<true>,
      NaiveTakenTaskRuns<false>, NaiveTakenTaskRuns<true>,
      NaiveChildrenOfADrainMeet<false>, NaiveChildrenOfADrainMeet<true>,
      NaiveSessionsDoNotMix<false>, NaiveSessionsDoNotMix<true>,
      NaiveFailedStartupLeavesNoWorker<false>,
      NaiveFailedStartupLeavesNoWorker<true>,
      NaiveTaskDoesNotWaitForItself<false, true>,
      NaiveTaskDoesNotWaitForItself<true, true>,
      NaiveTaskDoesNotWaitForItself<false, false>,
      NaiveTaskDoesNotWaitForItself<true, false>, NaivePoolHasAWorker<false>,
      NaivePoolHasAWorker<true>, NaiveSecondSessionIsLikeTheFirst<false>,
      NaiveSecondSessionIsLikeTheFirst<true>>(argc, argv);
}
