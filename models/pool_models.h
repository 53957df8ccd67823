// The whole path, for any strategy: submit against falling asleep, Shutdown
// against submit and against itself, children during the drain, and what may
// be seen afterwards. One program per strategy runs them.
#pragma once

#include "pool_model.h"

namespace models {

// Submissions race workers that are falling asleep. The controller awaits the
// tasks before it shuts down, since Shutdown's own wake-up would hide a lost
// one. A lost wake-up appears as a deadlock.
template <class Strategy, unsigned kWorkers, unsigned kTasks,
          unsigned kSubmitters = 1>
struct TasksRunBeforeShutdownBegins
    : PoolModel<
          TasksRunBeforeShutdownBegins<Strategy, kWorkers, kTasks, kSubmitters>,
          Strategy, kSubmitters, kWorkers, kSubmitters> {
  static std::string Name() {
    return NameOf<Strategy>(kTasks == 1 ? "TaskRunsBeforeShutdownBegins"
                                        : "TwoTasksRunBeforeShutdownBegins",
                            kWorkers, kSubmitters);
  }
  static constexpr const char* kProperty = "2 no lost wake-up";
  static constexpr const char* kBounds =
      kSubmitters > 1
          ? (kTasks == 1 ? "2 submitters, 1 task each"
                         : "2 submitters, 2 tasks each")
          : (kTasks == 1 ? "1 submitter, 1 task" : "1 submitter, 2 tasks");
  static constexpr Plan kPlan =
      kWorkers == 1 && kTasks == 1 && kSubmitters == 1
          ? Plan{.random = 1'000'000}
          : Plan{
                .quick_bound = 0, .bound = 0, .beyond = 1, .random = 1'000'000};

  Latch ran;

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    for (unsigned i = 0; i != kTasks; ++i) {
      this->pool.Submit([this] { ran.Post(); });
    }
    if (index != 0) return;
    for (unsigned i = 0; i != kTasks * kSubmitters; ++i) ran.Wait();
    this->pool.Shutdown();
  }
};

// Submit races Shutdown: accepted or refused, and accepted means it ran.
template <class Strategy, unsigned kWorkers, unsigned kSubmitters = 1>
struct AcceptedRunsRefusedDoesNot
    : PoolModel<AcceptedRunsRefusedDoesNot<Strategy, kWorkers, kSubmitters>,
                Strategy, kSubmitters + 1, kWorkers, kSubmitters> {
  static std::string Name() {
    return NameOf<Strategy>("AcceptedRunsRefusedDoesNot", kWorkers,
                            kSubmitters);
  }
  static constexpr const char* kProperty = "1 exactly once, 3 drain";
  static constexpr const char* kBounds =
      kSubmitters == 1 ? "1 submitter, 1 task, 1 Shutdown"
                       : "2 submitters, 1 task each, 1 Shutdown";
  static constexpr Plan kPlan =
      kWorkers == 1 && kSubmitters == 1
          ? Plan{.random = 1'000'000}
          : Plan{
                .quick_bound = 0, .bound = 0, .beyond = 1, .random = 1'000'000};

  unsigned accepted = 0;
  unsigned runs = 0;

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    if (index != kSubmitters) {
      if (this->pool.TrySubmit([this] { ++runs; })) ++accepted;
    } else {
      this->pool.Shutdown();
      RL_ASSERT(World::Get().threads_alive == 0);
    }
  }
  void after() { RL_ASSERT(runs == accepted); }
};

// Two callers of Shutdown: each returns only when every worker is gone. With
// two submitters each tries to submit first.
template <class Strategy, unsigned kWorkers, unsigned kSubmitters = 1>
struct EveryShutdownReturnsAfterTheLastWorker
    : PoolModel<EveryShutdownReturnsAfterTheLastWorker<Strategy, kWorkers,
                                                       kSubmitters>,
                Strategy, 2, kWorkers, kSubmitters> {
  static std::string Name() {
    return NameOf<Strategy>("EveryShutdownReturnsAfterTheLastWorker", kWorkers,
                            kSubmitters);
  }
  static constexpr const char* kProperty = "3 Shutdown, several callers";
  static constexpr const char* kBounds =
      kSubmitters == 1 ? "2 Shutdowns, 1 task queued"
                       : "2 Shutdowns, 2 submitters, 1 task each";
  static constexpr Plan kPlan =
      kWorkers == 1 && kSubmitters == 1
          ? Plan{}
          : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  unsigned accepted = 0;
  unsigned runs = 0;

  void Prepare() {
    this->pool.Startup();
    if (kSubmitters == 1) Submit();
  }
  void Run(unsigned) {
    if (kSubmitters != 1) Submit();
    this->pool.Shutdown();
    RL_ASSERT(World::Get().threads_alive == 0);
    if (kSubmitters == 1) RL_ASSERT(runs == 1);
  }
  void after() { RL_ASSERT(runs == accepted); }

  void Submit() {
    if (this->pool.TrySubmit([this] { ++runs; })) ++accepted;
  }
};

// A task submits a child while the pool may be draining; it is accepted and
// runs. With more workers than one, all must be woken at the end.
template <class Strategy, unsigned kWorkers, unsigned kSubmitters = 1>
struct ChildOfADrainRuns
    : PoolModel<ChildOfADrainRuns<Strategy, kWorkers, kSubmitters>, Strategy,
                kSubmitters, kWorkers, kSubmitters> {
  static std::string Name() {
    return NameOf<Strategy>("ChildOfADrainRuns", kWorkers, kSubmitters);
  }
  static constexpr const char* kProperty =
      "3 drain runs what tasks submit, 4 happens-before";
  static constexpr const char* kBounds =
      kSubmitters == 1 ? "1 task with 1 child, 1 Shutdown"
                       : "1 task queued and 1 submitted, 1 child each";
  static constexpr Plan kPlan =
      kWorkers == 1 && kSubmitters == 1
          ? Plan{}
          : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  struct Family {
    typename Strategy::Platform::template Var<int> runs{0};
  } families[kSubmitters];
  bool accepted[kSubmitters] = {};

  void Prepare() {
    this->pool.Startup();
    SubmitFamily(0);
  }
  void Run(unsigned index) {
    if (index != 0) return SubmitFamily(index);
    this->pool.Shutdown();
    RL_ASSERT(families[0].runs.Read() == 2);
  }
  void after() {
    for (unsigned i = 1; i != kSubmitters; ++i) {
      RL_ASSERT(families[i].runs.Read() == (accepted[i] ? 2 : 0));
    }
  }

  void SubmitFamily(unsigned index) {
    accepted[index] =
        this->pool.TrySubmit([this, &runs = families[index].runs] {
          ++runs.Write();
          this->pool.Submit([&runs] { ++runs.Write(); });
        });
  }
};

// A plain payload goes to the task and back, and its captures die before
// WaitIdle returns. Relacy reports a race if happens-before is missing.
template <class Strategy, unsigned kWorkers, unsigned kSubmitters = 1>
struct PayloadIsHandedOverAndBack
    : PoolModel<PayloadIsHandedOverAndBack<Strategy, kWorkers, kSubmitters>,
                Strategy, kSubmitters, kWorkers, kSubmitters> {
  static std::string Name() {
    return NameOf<Strategy>("PayloadIsHandedOverAndBack", kWorkers,
                            kSubmitters);
  }
  static constexpr const char* kProperty = "4 happens-before, 8 WaitIdle";
  static constexpr const char* kBounds =
      kSubmitters == 1 ? "1 submitter, 1 task, 1 WaitIdle"
                       : "2 submitters, 1 task and 1 WaitIdle each";
  static constexpr Plan kPlan =
      kWorkers == 1 && kSubmitters == 1
          ? Plan{}
          : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  using Payload = typename Strategy::Platform::template Var<int>;
  struct HandedOver {
    Payload payload{0};
    Payload destroyed{0};
  } handed_over[kSubmitters];
  Latch returned;

  struct Capture {
    Payload* destroyed_at;
    explicit Capture(Payload* where) : destroyed_at(where) {}
    Capture(Capture&& other) noexcept
        : destroyed_at(std::exchange(other.destroyed_at, nullptr)) {}
    ~Capture() {
      if (destroyed_at != nullptr) destroyed_at->Write() = 1;
    }
  };

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    auto& payload = handed_over[index].payload;
    auto& destroyed = handed_over[index].destroyed;
    payload.Write() = 1;
    this->pool.Submit([&payload, capture = Capture(&destroyed)] {
      RL_ASSERT(payload.Read() == 1);
      payload.Write() = 2;
    });
    this->pool.WaitIdle();
    RL_ASSERT(payload.Read() == 2);
    RL_ASSERT(destroyed.Read() == 1);
    if (index != 0) return returned.Post();
    for (unsigned i = 1; i != kSubmitters; ++i) returned.Wait();
    this->pool.Shutdown();
  }
};

// Nothing is submitted: every idle worker must be woken by Shutdown, and by
// Shutdown alone, without a timer.
template <class Strategy, unsigned kWorkers>
struct ShutdownWakesIdleWorkers
    : PoolModel<ShutdownWakesIdleWorkers<Strategy, kWorkers>, Strategy, 1,
                kWorkers, 0> {
  static std::string Name() {
    return NameOf<Strategy>("ShutdownWakesIdleWorkers", kWorkers);
  }
  static constexpr const char* kProperty = "3 Shutdown wakes sleepers";
  static constexpr const char* kBounds = "no task, 1 Shutdown";
  static constexpr Plan kPlan =
      kWorkers == 1 ? Plan{.bound = 3, .beyond = 4}
                    : Plan{.quick_bound = 1, .bound = 1, .beyond = 2};

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned) {
    this->pool.Shutdown();
    RL_ASSERT(World::Get().threads_alive == 0);
  }
};

// A task runs while the pool drains and all other workers sleep: its completion
// ends the session and must wake every one of them. With two workers one would
// be enough to wake.
template <class Strategy>
struct LastCompletionWakesEveryWorker
    : PoolModel<LastCompletionWakesEveryWorker<Strategy>, Strategy, 2, 3> {
  static std::string Name() {
    return NameOf<Strategy>("LastCompletionWakesEveryWorker", 3);
  }
  static constexpr const char* kProperty = "3 the end wakes all";
  static constexpr const char* kBounds = "1 task that takes its time, Shutdown";
  static constexpr Plan kPlan{.quick_bound = 0, .bound = 0, .beyond = 1};

  Latch go_on;

  void Prepare() {
    this->pool.Startup();
    this->pool.Submit([this] { go_on.Wait(); });
  }
  void Run(unsigned index) {
    if (index == 1) return go_on.Post();
    this->pool.Shutdown();
    RL_ASSERT(World::Get().threads_alive == 0);
  }
};

}  // namespace models
