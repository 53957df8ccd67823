// The whole path, for any strategy: submit against falling asleep, Shutdown
// against submit and against itself, children during the drain, and what may
// be seen afterwards. One program per strategy runs them.
#pragma once

#include "pool_model.h"

namespace models {

// Submissions race workers that are falling asleep. The controller awaits the
// tasks before it shuts down, since Shutdown's own wake-up would hide a lost
// one. A lost wake-up appears as a deadlock.
template <class Strategy, unsigned kWorkers, unsigned kTasks>
struct TasksRunBeforeShutdownBegins
    : PoolModel<TasksRunBeforeShutdownBegins<Strategy, kWorkers, kTasks>,
                Strategy, 1, kWorkers> {
  static std::string Name() {
    return NameOf<Strategy>(kTasks == 1 ? "TaskRunsBeforeShutdownBegins"
                                        : "TwoTasksRunBeforeShutdownBegins",
                            kWorkers);
  }
  static constexpr const char* kProperty = "2 no lost wake-up";
  static constexpr const char* kBounds =
      kTasks == 1 ? "1 submitter, 1 task" : "1 submitter, 2 tasks";
  static constexpr Plan kPlan =
      kWorkers == 1 && kTasks == 1
          ? Plan{.random = 1'000'000}
          : Plan{
                .quick_bound = 0, .bound = 0, .beyond = 1, .random = 1'000'000};

  Latch ran;

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned) {
    for (unsigned i = 0; i != kTasks; ++i) {
      this->pool.Submit([this] { ran.Post(); });
    }
    for (unsigned i = 0; i != kTasks; ++i) ran.Wait();
    this->pool.Shutdown();
  }
};

// Submit races Shutdown: accepted or refused, and accepted means it ran.
template <class Strategy, unsigned kWorkers>
struct AcceptedRunsRefusedDoesNot
    : PoolModel<AcceptedRunsRefusedDoesNot<Strategy, kWorkers>, Strategy, 2,
                kWorkers> {
  static std::string Name() {
    return NameOf<Strategy>("AcceptedRunsRefusedDoesNot", kWorkers);
  }
  static constexpr const char* kProperty = "1 exactly once, 3 drain";
  static constexpr const char* kBounds = "1 submitter, 1 task, 1 Shutdown";
  static constexpr Plan kPlan =
      kWorkers == 1
          ? Plan{.random = 1'000'000}
          : Plan{
                .quick_bound = 0, .bound = 0, .beyond = 1, .random = 1'000'000};

  unsigned accepted = 0;
  unsigned runs = 0;

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    if (index == 0) {
      accepted = this->pool.TrySubmit([this] { ++runs; }) ? 1 : 0;
    } else {
      this->pool.Shutdown();
      RL_ASSERT(World::Get().threads_alive == 0);
    }
  }
  void after() { RL_ASSERT(runs == accepted); }
};

// Two callers of Shutdown: each returns only when every worker is gone.
template <class Strategy, unsigned kWorkers>
struct EveryShutdownReturnsAfterTheLastWorker
    : PoolModel<EveryShutdownReturnsAfterTheLastWorker<Strategy, kWorkers>,
                Strategy, 2, kWorkers> {
  static std::string Name() {
    return NameOf<Strategy>("EveryShutdownReturnsAfterTheLastWorker", kWorkers);
  }
  static constexpr const char* kProperty = "3 Shutdown, several callers";
  static constexpr const char* kBounds = "2 Shutdowns, 1 task queued";
  static constexpr Plan kPlan =
      kWorkers == 1 ? Plan{} : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  unsigned runs = 0;

  void Prepare() {
    this->pool.Startup();
    this->pool.Submit([this] { ++runs; });
  }
  void Run(unsigned) {
    this->pool.Shutdown();
    RL_ASSERT(World::Get().threads_alive == 0);
    RL_ASSERT(runs == 1);
  }
};

// A task submits a child while the pool may be draining; it is accepted and
// runs. With more workers than one, all must be woken at the end.
template <class Strategy, unsigned kWorkers>
struct ChildOfADrainRuns
    : PoolModel<ChildOfADrainRuns<Strategy, kWorkers>, Strategy, 1, kWorkers> {
  static std::string Name() {
    return NameOf<Strategy>("ChildOfADrainRuns", kWorkers);
  }
  static constexpr const char* kProperty =
      "3 drain runs what tasks submit, 4 happens-before";
  static constexpr const char* kBounds = "1 task with 1 child, 1 Shutdown";
  static constexpr Plan kPlan =
      kWorkers == 1 ? Plan{} : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  typename Strategy::Platform::template Var<int> runs{0};

  void Prepare() {
    this->pool.Startup();
    this->pool.Submit([this] {
      ++runs.Write();
      this->pool.Submit([this] { ++runs.Write(); });
    });
  }
  void Run(unsigned) {
    this->pool.Shutdown();
    RL_ASSERT(runs.Read() == 2);
  }
};

// A plain payload goes to the task and back, and its captures die before
// WaitIdle returns. Relacy reports a race if happens-before is missing.
template <class Strategy, unsigned kWorkers>
struct PayloadIsHandedOverAndBack
    : PoolModel<PayloadIsHandedOverAndBack<Strategy, kWorkers>, Strategy, 1,
                kWorkers> {
  static std::string Name() {
    return NameOf<Strategy>("PayloadIsHandedOverAndBack", kWorkers);
  }
  static constexpr const char* kProperty = "4 happens-before, 8 WaitIdle";
  static constexpr const char* kBounds = "1 submitter, 1 task, 1 WaitIdle";
  static constexpr Plan kPlan =
      kWorkers == 1 ? Plan{} : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  using Payload = typename Strategy::Platform::template Var<int>;
  Payload payload{0};
  Payload destroyed{0};

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
  void Run(unsigned) {
    payload.Write() = 1;
    this->pool.Submit([this, capture = Capture(&destroyed)] {
      RL_ASSERT(payload.Read() == 1);
      payload.Write() = 2;
    });
    this->pool.WaitIdle();
    RL_ASSERT(payload.Read() == 2);
    RL_ASSERT(destroyed.Read() == 1);
    this->pool.Shutdown();
  }
};

// Nothing is submitted: every idle worker must be woken by Shutdown, and by
// Shutdown alone, without a timer.
template <class Strategy, unsigned kWorkers>
struct ShutdownWakesIdleWorkers
    : PoolModel<ShutdownWakesIdleWorkers<Strategy, kWorkers>, Strategy, 1,
                kWorkers> {
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

}  // namespace models
