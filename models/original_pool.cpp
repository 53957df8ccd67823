// Three more faults of the original's pools (Peloton's WorkerPool and
// MonoQueuePool, before and after pull request #1419), told again on a pool
// whose Shutdown wakes its sleepers already (original_condvar.cpp): each as a
// model that fails, and passes after its smallest fix.
//
//   stranded    Submit enqueues and never looks at the running flag, so a task
//               that comes while the last worker leaves waits for a later
//               Startup. Fix: Submit reads the flag under the mutex under which
//               Shutdown clears it and workers decide to leave, and refuses.
//               Reading it just before does not do.
//   two calls   Startup and Shutdown from two threads touch the vector of
//               threads at once, and a second Shutdown returns before the first
//               has joined. Fix: one mutex around the whole of both. A mutex
//               around the vector alone still lets the second return too early.
//   mono flag   SubmitTask reads and writes a plain bool to start the pool at
//               the first task. Fix: one mutex around "not running? start". An
//               atomic flag alone lets two submitters start it twice.
#include "check.h"

namespace models {
namespace {

using Platform = RelacyPlatform<Timer::kNever>;

enum class Submit { kBlindly, kIfFlagWasSet, kIfFlagIsSetUnderMutex };
enum class Control { kNone, kAroundVector, kAroundAll };

template <Submit kSubmit, Control kControl>
class OriginalPool {
 public:
  explicit OriginalPool(unsigned workers) : workers_(workers) {}

  void Startup() {
    Platform::Lock control(control_);
    if (kControl == Control::kNone) control.unlock();
    if (running_.load(Platform::relaxed)) return;
    running_.store(true, Platform::release);
    for (unsigned i = 0; i != workers_; ++i) {
      threads_.Write().emplace_back("worker", [this] { Work(); });
    }
  }

  void Shutdown() {
    Platform::Lock control(control_);
    if (kControl == Control::kNone) control.unlock();
    {
      Platform::Lock lock(mutex_);
      running_.store(false, Platform::release);
    }
    wakeup_.notify_all();
    if (kControl == Control::kAroundVector) {
      const auto threads = std::move(threads_.Write());
      threads_.Write().clear();
      control.unlock();
      for (auto& thread : threads) const_cast<Platform::Thread&>(thread).join();
      return;
    }
    for (auto& thread : threads_.Write()) thread.join();
    threads_.Write().clear();
  }

  // Whether the task was accepted.
  bool TrySubmit() {
    if (kSubmit == Submit::kIfFlagWasSet && !running_.load(Platform::acquire)) {
      return false;
    }
    {
      Platform::Lock lock(mutex_);
      if (kSubmit == Submit::kIfFlagIsSetUnderMutex &&
          !running_.load(Platform::relaxed)) {
        return false;
      }
      ++queued_.Write();
    }
    wakeup_.notify_one();
    return true;
  }

  unsigned Runs() const { return runs_.load(Platform::relaxed); }

 private:
  void Work() {
    for (;;) {
      {
        Platform::Lock lock(mutex_);
        while (queued_.Read() == 0) {
          if (!running_.load(Platform::relaxed)) return;
          wakeup_.wait(lock);
        }
        --queued_.Write();
      }
      runs_.fetch_add(1, Platform::relaxed);
    }
  }

  const unsigned workers_;
  Platform::Atomic<bool> running_{false};
  Platform::Atomic<unsigned> runs_{0};
  Platform::Mutex control_;  // the fix's; else taken and let go at once
  Platform::Var<std::vector<Platform::Thread>> threads_;
  Platform::Mutex mutex_;
  Platform::CondVar wakeup_;
  Platform::Var<unsigned> queued_{0u};
};

constexpr auto kPasses = rl::test_result_success;
constexpr auto kFails = rl::test_result_user_assert_failed;
constexpr auto kRaces = rl::test_result_data_race;

// One submitter races Shutdown: an accepted task has run when both returned.
template <Submit kSubmit>
struct TaskIsNotStranded : Model<TaskIsNotStranded<kSubmit>, 2, 1> {
  static std::string Name() {
    constexpr const char* kCase[] = {"as it was", "flag read before", "fixed"};
    return std::string("OriginalTaskIsNotStranded<") +
           kCase[static_cast<int>(kSubmit)] + ">";
  }
  static constexpr const char* kProperty = "original: accepted runs";
  static constexpr const char* kBounds = "1 worker, 1 submitter, 1 Shutdown";
  static constexpr rl::test_result_e kExpected =
      kSubmit == Submit::kIfFlagIsSetUnderMutex ? kPasses : kFails;

  OriginalPool<kSubmit, Control::kAroundAll> pool{1};
  unsigned accepted = 0;

  void Prepare() { pool.Startup(); }
  void Run(unsigned index) {
    if (index == 0) return pool.Shutdown();
    if (pool.TrySubmit()) ++accepted;
  }
  void after() { RL_ASSERT(pool.Runs() == accepted); }
};

// Two threads shut down; one of them starts the pool first.
template <Control kControl>
struct ShutdownsReturnAfterTheLastWorker
    : Model<ShutdownsReturnAfterTheLastWorker<kControl>, 2, 1> {
  static std::string Name() {
    constexpr const char* kCase[] = {"as it was", "mutex around the vector",
                                     "fixed"};
    return std::string("OriginalShutdownsReturnAfterTheLastWorker<") +
           kCase[static_cast<int>(kControl)] + ">";
  }
  static constexpr const char* kProperty = "original: Startup, 2 Shutdowns";
  static constexpr const char* kBounds = "1 worker, no task";
  static constexpr rl::test_result_e kExpected =
      kControl == Control::kAroundAll ? kPasses
      : kControl == Control::kNone    ? kRaces
                                      : kFails;

  OriginalPool<Submit::kIfFlagIsSetUnderMutex, kControl> pool{1};

  void Prepare() { pool.Startup(); }
  void Run(unsigned) {
    pool.Shutdown();
    RL_ASSERT(World::Get().threads_alive == 0);
  }
};

enum class Flag { kPlain, kAtomic, kUnderMutex };

// Starts itself when the first task comes. The pool behind it counts how often
// it was started; to be started twice is its undoing.
template <Flag kFlag>
class OriginalMonoQueuePool {
 public:
  void SubmitTask() {
    Platform::Lock control(control_);
    if (kFlag != Flag::kUnderMutex) control.unlock();
    if (kFlag == Flag::kAtomic) {
      if (!atomic_running_.load(Platform::acquire)) {
        StartUp();
        atomic_running_.store(true, Platform::release);
      }
    } else if (!running_.Read()) {
      StartUp();
      running_.Write() = true;
    }
  }

  unsigned Starts() const { return starts_.load(Platform::relaxed); }

 private:
  void StartUp() { starts_.fetch_add(1, Platform::relaxed); }

  Platform::Mutex control_;  // the fix's; else taken and let go at once
  Platform::Var<bool> running_{false};
  Platform::Atomic<bool> atomic_running_{false};
  Platform::Atomic<unsigned> starts_{0};
};

template <Flag kFlag>
struct MonoFlag : Model<MonoFlag<kFlag>, 2> {
  static std::string Name() {
    constexpr const char* kCase[] = {"as it was", "atomic flag", "fixed"};
    return std::string("OriginalMonoFlag<") + kCase[static_cast<int>(kFlag)] +
           ">";
  }
  static constexpr const char* kProperty = "original: starts once";
  static constexpr const char* kBounds = "2 submitters, 1 task each";
  static constexpr rl::test_result_e kExpected =
      kFlag == Flag::kUnderMutex ? kPasses
      : kFlag == Flag::kPlain    ? kRaces
                                 : kFails;

  OriginalMonoQueuePool<kFlag> pool;

  void Run(unsigned) { pool.SubmitTask(); }
  void after() { RL_ASSERT(pool.Starts() == 1); }
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<TaskIsNotStranded<Submit::kBlindly>,
               TaskIsNotStranded<Submit::kIfFlagWasSet>,
               TaskIsNotStranded<Submit::kIfFlagIsSetUnderMutex>,
               ShutdownsReturnAfterTheLastWorker<Control::kNone>,
               ShutdownsReturnAfterTheLastWorker<Control::kAroundVector>,
               ShutdownsReturnAfterTheLastWorker<Control::kAroundAll>,
               MonoFlag<Flag::kPlain>, MonoFlag<Flag::kAtomic>,
               MonoFlag<Flag::kUnderMutex>>(argc, argv);
}
