// ShutdownNow against submitters, tasks that submit, and Shutdown, for any
// strategy. One program per strategy runs them.
#pragma once

#include <utility>

#include "pool_model.h"

namespace models {

// Says in a plain variable that it died, which the end of the pool must
// happen after.
template <class Platform>
class TellsItsDeath {
 public:
  using Flag = typename Platform::template Var<int>;

  explicit TellsItsDeath(Flag* dead) : dead_(dead) {}
  TellsItsDeath(TellsItsDeath&& other) noexcept
      : dead_(std::exchange(other.dead_, nullptr)) {}
  ~TellsItsDeath() {
    if (dead_ != nullptr) ++dead_->Write();
  }

 private:
  Flag* dead_;
};

// Submit races ShutdownNow: what was accepted ran or was dropped, and is dead;
// no worker is left, and none sleeps on for the sake of a task.
template <class Strategy, unsigned kWorkers, unsigned kSubmitters = 1>
struct AcceptedRunsOrIsDropped
    : PoolModel<AcceptedRunsOrIsDropped<Strategy, kWorkers, kSubmitters>,
                Strategy, kSubmitters + 1, kWorkers, kSubmitters> {
  static std::string Name() {
    return NameOf<Strategy>("AcceptedRunsOrIsDropped", kWorkers, kSubmitters);
  }
  static constexpr const char* kProperty = "1 exactly once, ShutdownNow";
  static constexpr const char* kBounds =
      kSubmitters == 1 ? "1 submitter, 1 task, 1 ShutdownNow"
                       : "2 submitters, 1 task each, 1 ShutdownNow";
  static constexpr Plan kPlan =
      kWorkers == 1 && kSubmitters == 1
          ? Plan{.quick_bound = 1, .beyond = 0, .random = 1'000'000}
          : Plan{
                .quick_bound = 0, .bound = 0, .beyond = 1, .random = 1'000'000};

  using Platform = typename Strategy::Platform;
  typename Platform::template Var<int> dead[kSubmitters] = {};
  unsigned accepted = 0;
  unsigned runs = 0;
  unsigned dropped = 0;

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    if (index != kSubmitters) {
      TellsItsDeath<Platform> tells(&dead[index]);
      if (this->pool.TrySubmit([this, t = std::move(tells)] { ++runs; })) {
        ++accepted;
      }
      return;
    }
    dropped = static_cast<unsigned>(this->pool.ShutdownNow());
    RL_ASSERT(World::Get().threads_alive == 0);
    RL_ASSERT(!this->pool.IsDropping());
  }
  void after() {
    RL_ASSERT(runs + dropped == accepted);
    for (auto& one : dead) RL_ASSERT(one.Read() == 1);
  }
};

// A task submits while ShutdownNow may be under way: its child is refused, or
// runs, or is dropped; the task itself runs or is dropped. The next session
// behaves as the first.
template <class Strategy, unsigned kWorkers>
struct ChildIsRefusedOrDropped
    : PoolModel<ChildIsRefusedOrDropped<Strategy, kWorkers>, Strategy, 1,
                kWorkers, 1, 2> {
  static std::string Name() {
    return NameOf<Strategy>("ChildIsRefusedOrDropped", kWorkers);
  }
  static constexpr const char* kProperty = "1 ShutdownNow, 3 restart";
  static constexpr const char* kBounds =
      "1 task with 1 child, 1 ShutdownNow, 1 task in the next session";
  static constexpr Plan kPlan =
      kWorkers == 1 ? Plan{.quick_bound = 1, .bound = 1, .beyond = 2}
                    : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  unsigned accepted = 0;
  unsigned runs = 0;

  void Prepare() {
    this->pool.Startup();
    Submit([this] {
      ++runs;
      Submit([this] { ++runs; });
    });
  }
  void Run(unsigned) {
    const std::size_t dropped = this->pool.ShutdownNow();
    RL_ASSERT(runs + dropped == accepted);
    RL_ASSERT(World::Get().threads_alive == 0);
    this->pool.Startup();
    RL_ASSERT(this->pool.TrySubmit([this] { ++runs; }));
    this->pool.Shutdown();
    RL_ASSERT(runs + dropped == accepted + 1);
  }

  template <class Task>
  void Submit(Task task) {
    if (this->pool.TrySubmit(std::move(task))) ++accepted;
  }
};

// ShutdownNow comes to a Shutdown: both return after the last worker, and what
// was queued ran or was dropped.
template <class Strategy, unsigned kWorkers>
struct ShutdownNowJoinsAShutdown
    : PoolModel<ShutdownNowJoinsAShutdown<Strategy, kWorkers>, Strategy, 2,
                kWorkers> {
  static std::string Name() {
    return NameOf<Strategy>("ShutdownNowJoinsAShutdown", kWorkers);
  }
  static constexpr const char* kProperty = "3 ShutdownNow during a Shutdown";
  static constexpr const char* kBounds = "1 task queued, 1 Shutdown and 1 Now";
  static constexpr Plan kPlan =
      kWorkers == 1 ? Plan{.quick_bound = 1, .beyond = 0}
                    : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  unsigned runs = 0;
  std::size_t dropped = 0;

  void Prepare() {
    this->pool.Startup();
    this->pool.Submit([this] { ++runs; });
  }
  void Run(unsigned index) {
    if (index == 0) {
      this->pool.Shutdown();
    } else {
      dropped = this->pool.ShutdownNow();
    }
    RL_ASSERT(World::Get().threads_alive == 0);
  }
  void after() { RL_ASSERT(runs + dropped == 1); }
};

// ShutdownNow comes to two Shutdowns. The one that ends the session waits until
// nothing more is dropped, the other until the session has ended, and both on
// one condition variable: to wake the other alone would be a deadlock.
template <class Strategy, unsigned kWorkers>
struct ShutdownNowJoinsTwoShutdowns
    : PoolModel<ShutdownNowJoinsTwoShutdowns<Strategy, kWorkers>, Strategy, 3,
                kWorkers, 0> {
  static std::string Name() {
    return NameOf<Strategy>("ShutdownNowJoinsTwoShutdowns", kWorkers);
  }
  static constexpr const char* kProperty = "3 ShutdownNow during a Shutdown";
  static constexpr const char* kBounds = "2 Shutdowns and 1 Now, no task";
  static constexpr Plan kPlan{.quick_bound = 1, .bound = 1, .beyond = 2};

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    if (index != 2) {
      this->pool.Shutdown();
    } else {
      RL_ASSERT(this->pool.ShutdownNow() == 0);
    }
    RL_ASSERT(World::Get().threads_alive == 0);
  }
};

// Two callers of ShutdownNow: one drops, both return after the last worker.
template <class Strategy, unsigned kWorkers>
struct OneOfTwoShutdownNowsDrops
    : PoolModel<OneOfTwoShutdownNowsDrops<Strategy, kWorkers>, Strategy, 2,
                kWorkers> {
  static std::string Name() {
    return NameOf<Strategy>("OneOfTwoShutdownNowsDrops", kWorkers);
  }
  static constexpr const char* kProperty = "3 ShutdownNow, several callers";
  static constexpr const char* kBounds = "1 task queued, 2 ShutdownNows";
  static constexpr Plan kPlan =
      kWorkers == 1 ? Plan{.quick_bound = 1, .beyond = 0}
                    : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  unsigned runs = 0;
  std::size_t dropped = 0;

  void Prepare() {
    this->pool.Startup();
    this->pool.Submit([this] { ++runs; });
  }
  void Run(unsigned) {
    dropped += this->pool.ShutdownNow();
    RL_ASSERT(World::Get().threads_alive == 0);
  }
  void after() { RL_ASSERT(runs + dropped == 1); }
};

// A session that ShutdownNow helped to end is followed by another, which its
// dropping must not reach: workers would leave, and a task wait for ever. A
// late ShutdownNow may drop the task; either way it dies.
template <class Strategy, unsigned kWorkers>
struct NextSessionIsNotDropped
    : PoolModel<NextSessionIsNotDropped<Strategy, kWorkers>, Strategy, 2,
                kWorkers, 1, 2> {
  static std::string Name() {
    return NameOf<Strategy>("NextSessionIsNotDropped", kWorkers);
  }
  static constexpr const char* kProperty = "3 ShutdownNow, restart";
  static constexpr const char* kBounds =
      "1 Shutdown and 1 Now, 1 task in the next session";
  static constexpr Plan kPlan =
      kWorkers == 1 ? Plan{.quick_bound = 1, .bound = 1, .beyond = 2}
                    : Plan{.quick_bound = 0, .bound = 0, .beyond = 1};

  class PostsItsDeath {
   public:
    explicit PostsItsDeath(Latch* dead) : dead_(dead) {}
    PostsItsDeath(PostsItsDeath&& other) noexcept
        : dead_(std::exchange(other.dead_, nullptr)) {}
    ~PostsItsDeath() {
      if (dead_ != nullptr) dead_->Post();
    }

   private:
    Latch* dead_;
  };

  Latch dead;

  void Prepare() { this->pool.Startup(); }
  void Run(unsigned index) {
    if (index == 1) {
      this->pool.ShutdownNow();
      return;
    }
    this->pool.Shutdown();
    this->pool.Startup();
    static_cast<void>(this->pool.TrySubmit([posts = PostsItsDeath(&dead)] {}));
    dead.Wait();
    this->pool.Shutdown();
  }
};

}  // namespace models
