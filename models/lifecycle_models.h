// Startup, Shutdown and WaitIdle against each other and again, for any
// strategy. One program per strategy runs them.
#pragma once

#include "pool_model.h"

namespace models {

// Startup races Shutdown: serialised, in either order, and nothing is left.
template <class Strategy, unsigned kWorkers>
struct StartupAndShutdownAreSerialised
    : PoolModel<StartupAndShutdownAreSerialised<Strategy, kWorkers>, Strategy,
                2, kWorkers, 0> {
  static std::string Name() {
    return NameOf<Strategy>("StartupAndShutdownAreSerialised", kWorkers);
  }
  static constexpr const char* kProperty = "3 Startup against Shutdown";
  static constexpr const char* kBounds = "1 Startup, 2 Shutdowns";
  static constexpr Plan kPlan{.quick_bound = kWorkers == 1 ? 2u : 1u,
                              .beyond = kWorkers == 1 ? 3u : 0u};

  void Run(unsigned index) {
    if (index == 0) this->pool.Startup();
    this->pool.Shutdown();
  }
  void after() {
    RL_ASSERT(World::Get().threads_alive == 0);
    RL_ASSERT(!this->pool.IsRunning());
  }
};

// A submitter strays into the end of one session and the begin of the next:
// its task runs in one of them, or is refused. Plain data tells Relacy of a
// session that leaks into the next.
template <class Strategy, unsigned kWorkers, unsigned kSubmitters = 1>
struct StrayTaskRunsInOneSession
    : PoolModel<StrayTaskRunsInOneSession<Strategy, kWorkers, kSubmitters>,
                Strategy, kSubmitters + 1, kWorkers, kSubmitters, 2> {
  static std::string Name() {
    return NameOf<Strategy>("StrayTaskRunsInOneSession", kWorkers, kSubmitters);
  }
  static constexpr const char* kProperty = "1, 3 restart";
  static constexpr const char* kBounds =
      kSubmitters == 1 ? "2 sessions, 1 task in each, 1 stray submitter"
                       : "2 sessions, 1 task in each, 2 stray submitters";
  static constexpr Plan kPlan{
      .quick_bound = 0, .bound = 0, .beyond = 1, .random = 1'000'000};

  typename Strategy::Platform::template Var<int> runs{0};
  unsigned stray = 0;
  unsigned accepted = 0;

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    if (index != kSubmitters) {
      if (this->pool.TrySubmit([this] { ++stray; })) ++accepted;
      return;
    }
    this->pool.Submit([this] { ++runs.Write(); });
    this->pool.Shutdown();
    RL_ASSERT(runs.Read() == 1);
    this->pool.Startup();
    this->pool.Submit([this] { ++runs.Write(); });
    this->pool.Shutdown();
    RL_ASSERT(runs.Read() == 2);
  }
  void after() { RL_ASSERT(stray == accepted); }
};

// Three callers of Shutdown; the last worker's wake-up and the callers' must
// reach all of them.
template <class Strategy, unsigned kWorkers = 1>
struct ThreeShutdownsReturn
    : PoolModel<ThreeShutdownsReturn<Strategy, kWorkers>, Strategy, 3, kWorkers,
                0> {
  static std::string Name() {
    return NameOf<Strategy>("ThreeShutdownsReturn", kWorkers);
  }
  static constexpr const char* kProperty = "3 Shutdown, several callers";
  static constexpr const char* kBounds = "3 Shutdowns, no task";
  static constexpr Plan kPlan{.quick_bound = 1, .bound = 1, .beyond = 2};

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned) {
    this->pool.Shutdown();
    RL_ASSERT(World::Get().threads_alive == 0);
  }
};

// Two waiters for idle over two rounds of work. Each round's task has run and
// died before the waiter that submitted it returns.
template <class Strategy, unsigned kWorkers = 1, unsigned kSubmitters = 2>
struct TwoWaitersOverTwoRounds
    : PoolModel<TwoWaitersOverTwoRounds<Strategy, kWorkers, kSubmitters>,
                Strategy, 2, kWorkers, kSubmitters> {
  static std::string Name() {
    return NameOf<Strategy>("TwoWaitersOverTwoRounds", kWorkers, kSubmitters);
  }
  static constexpr const char* kProperty = "8 WaitIdle, 4 happens-before";
  static constexpr const char* kBounds =
      kSubmitters == 1 ? "1 submitter, 2 tasks, 3 WaitIdles by 2 waiters"
                       : "2 submitters, 1 and 2 tasks, 3 WaitIdles";
  static constexpr Plan kPlan{
      .quick_bound = 0, .bound = 0, .beyond = 1, .random = 1'000'000};

  typename Strategy::Platform::template Var<int> done[2] = {};
  unsigned left = 2;
  Latch finished;

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    const int rounds = index == 0 ? 2 : 1;
    for (int round = 1; round <= rounds; ++round) {
      const bool submits = index < kSubmitters;
      if (submits) {
        this->pool.Submit([this, index] { ++done[index].Write(); });
      }
      this->pool.WaitIdle();
      RL_ASSERT(done[index].Read() == (submits ? round : 0));
    }
    finished.Post();
    if (index != 0) return;
    finished.Wait();
    finished.Wait();
    this->pool.Shutdown();
  }
};

// Two tasks that wait for each other, two workers: both must get to run, as
// callers that meet at a barrier rely on.
template <class Strategy, unsigned kSubmitters = 1>
struct TasksThatMeetBothRun
    : PoolModel<TasksThatMeetBothRun<Strategy, kSubmitters>, Strategy,
                kSubmitters, 2, kSubmitters> {
  static std::string Name() {
    return NameOf<Strategy>("TasksThatMeetBothRun", 2, kSubmitters);
  }
  static constexpr const char* kProperty = "2b work conservation";
  static constexpr const char* kBounds =
      kSubmitters == 1 ? "2 tasks that wait for each other"
                       : "2 submitters, tasks that wait for each other";
  static constexpr Plan kPlan{
      .quick_bound = 0, .bound = 0, .beyond = 1, .random = 1'000'000};

  Latch arrived[2], ran;

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    SubmitOne(index);
    if (kSubmitters == 1) SubmitOne(1);
    if (index != 0) return;
    ran.Wait();
    ran.Wait();
    this->pool.Shutdown();
  }

  void SubmitOne(unsigned mine) {
    this->pool.Submit([this, mine] {
      arrived[mine].Post();
      arrived[1 - mine].Wait();
      ran.Post();
    });
  }
};

// Startup fails while another thread waits in Shutdown or Startup for what
// becomes of it.
template <class Strategy>
struct FailedStartupLetsWaitersGoOn
    : PoolModel<FailedStartupLetsWaitersGoOn<Strategy>, Strategy, 3, 2, 0, 2> {
  static std::string Name() {
    return NameOf<Strategy>("FailedStartupLetsWaitersGoOn", 2);
  }
  static constexpr const char* kProperty = "5 a thread cannot be created";
  static constexpr const char* kBounds =
      "2 workers, the second fails once; 1 Shutdown, 1 more Startup";
  static constexpr Plan kPlan{.quick_bound = 0, .bound = 0, .beyond = 1};

  Latch returned;

  void Run(unsigned index) {
    if (index == 0) {
      World::Get().fail_creation = 2;
      StartUp();
      returned.Wait();
      this->pool.Shutdown();
    } else if (index == 1) {
      this->pool.Shutdown();
    } else {
      StartUp();
      returned.Post();
    }
  }
  void after() { RL_ASSERT(World::Get().threads_alive == 0); }

  void StartUp() {
    try {
      this->pool.Startup();
    } catch (const NoThread&) {
    }
  }
};

// Building the task throws after the session has accepted it, while Shutdown
// may be draining: nothing was accepted, and nobody waits for it.
template <class Strategy, unsigned kWorkers>
struct SubmitThatThrowsAcceptsNothing
    : PoolModel<SubmitThatThrowsAcceptsNothing<Strategy, kWorkers>, Strategy, 2,
                kWorkers> {
  static std::string Name() {
    return NameOf<Strategy>("SubmitThatThrowsAcceptsNothing", kWorkers);
  }
  static constexpr const char* kProperty = "5 throw after accept";
  static constexpr const char* kBounds = "1 submitter that throws, 1 Shutdown";
  static constexpr Plan kPlan =
      kWorkers == 1 ? Plan{.quick_bound = 1}
                    : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  struct Throws {
    Throws() = default;
    Throws(Throws&&) noexcept(false) { throw 1; }
    void operator()() const { RL_ASSERT(false); }
  };

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    if (index == 0) {
      bool accepted = false;
      try {
        accepted = this->pool.TrySubmit(Throws());
      } catch (int) {
      }
      RL_ASSERT(!accepted);
      return;
    }
    this->pool.Shutdown();
    RL_ASSERT(World::Get().threads_alive == 0);
  }
  void after() { this->pool.WaitIdle(); }
};

// The k-th thread cannot be created: Startup throws, no task has run, and the
// pool works at the next try.
template <class Strategy>
struct FailedStartupLeavesNothing
    : PoolModel<FailedStartupLeavesNothing<Strategy>, Strategy, 1, 2, 1, 2> {
  static std::string Name() {
    return NameOf<Strategy>("FailedStartupLeavesNothing", 2);
  }
  static constexpr const char* kProperty = "5 a thread cannot be created";
  static constexpr const char* kBounds = "2 workers, the second fails once";
  static constexpr Plan kPlan{.quick_bound = 0, .bound = 0, .beyond = 1};

  unsigned runs = 0;

  void Run(unsigned) {
    World::Get().fail_creation = 2;
    bool threw = false;
    try {
      this->pool.Startup();
    } catch (const NoThread&) {
      threw = true;
    }
    RL_ASSERT(threw);
    RL_ASSERT(World::Get().threads_alive == 0);
    RL_ASSERT(!this->pool.TrySubmit([] {}));
    this->pool.Startup();
    this->pool.Submit([this] { ++runs; });
    this->pool.Shutdown();
    RL_ASSERT(runs == 1);
  }
};

}  // namespace models
