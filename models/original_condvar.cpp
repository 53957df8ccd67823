// The condition-variable pool of Peloton's pull request #1419, told again: why
// its Shutdown took up to a second, what hid that it could hang, and the
// smallest fix.
//
// Workers wait with a timeout of one second for "queue not empty". Shutdown
// clears the running flag and joins; it notifies nobody, and the predicate does
// not read the flag. The timeout hides this: it turns a hang into a second.
//
// The fix has three parts, and each left out alone brings the hang back:
//   flag_under_mutex      the flag is cleared with the mutex held
//   wake                  all sleepers are woken after that
//   predicate_reads_flag  the predicate reads the flag as well
#include "check.h"

namespace models {
namespace {

enum class Wake { kNobody, kOne, kAll };

struct Fix {
  bool flag_under_mutex = true;
  Wake wake = Wake::kAll;
  bool predicate_reads_flag = true;
};

template <class P, Fix kFix>
class OriginalCondVarPool {
 public:
  explicit OriginalCondVarPool(unsigned workers) : workers_(workers) {}

  void Startup() {
    running_.store(true, P::release);
    threads_.reserve(workers_);
    for (unsigned i = 0; i != workers_; ++i) {
      threads_.emplace_back("worker", [this] { Work(); });
    }
  }

  void Submit() {
    {
      typename P::Lock lock(mutex_);
      ++queued_.Write();
    }
    wakeup_.notify_one();
  }

  void Shutdown() {
    if constexpr (kFix.flag_under_mutex) {
      typename P::Lock lock(mutex_);
      running_.store(false, P::release);
    } else {
      running_.store(false, P::release);
    }
    if constexpr (kFix.wake == Wake::kOne) wakeup_.notify_one();
    if constexpr (kFix.wake == Wake::kAll) wakeup_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }

  unsigned Runs() const { return runs_.load(P::relaxed); }

 private:
  bool Awake() const {
    return queued_.Read() != 0 ||
           (kFix.predicate_reads_flag && !running_.load(P::acquire));
  }

  void Work() {
    for (;;) {
      {
        typename P::Lock lock(mutex_);
        // wait_for(lock, 1 s, predicate), spelled out.
        while (!Awake()) {
          if (wakeup_.wait_for(lock, std::chrono::seconds(1)) ==
              std::cv_status::timeout) {
            break;
          }
        }
        if (queued_.Read() == 0) {
          if (!running_.load(P::acquire)) return;
          continue;
        }
        --queued_.Write();
      }
      runs_.fetch_add(1, P::relaxed);
    }
  }

  const unsigned workers_;
  typename P::template Atomic<bool> running_{false};
  typename P::template Atomic<unsigned> runs_{0};
  typename P::Mutex mutex_;
  typename P::CondVar wakeup_;
  typename P::template Var<unsigned> queued_{0u};
  std::vector<typename P::Thread> threads_;
};

// Submit one task, then shut down: the task ran and Shutdown returned.
template <class Case>
struct ShutdownReturns : Model<ShutdownReturns<Case>, 1, Case::kWorkers> {
  static std::string Name() {
    return std::string("OriginalShutdownReturns<") + Case::kName + ">";
  }
  static constexpr const char* kProperty = "original: Shutdown returns";
  static constexpr const char* kBounds = Case::kBounds;
  static constexpr rl::test_result_e kExpected = Case::kExpected;

  OriginalCondVarPool<RelacyPlatform<Case::kTimer>, Case::kFix> pool{
      Case::kWorkers};

  void Prepare() { pool.Startup(); }
  void Run(unsigned) {
    pool.Submit();
    pool.Shutdown();
    RL_ASSERT(pool.Runs() == 1);
  }
};

struct OneWorker {
  static constexpr unsigned kWorkers = 1;
  static constexpr Timer kTimer = Timer::kNever;
  static constexpr const char* kBounds = "1 worker, 1 task, no timer";
  static constexpr Fix kFix{};
  static constexpr rl::test_result_e kExpected = rl::test_result_success;
};

constexpr Fix kAsItWas{.flag_under_mutex = false,
                       .wake = Wake::kNobody,
                       .predicate_reads_flag = false};

// Passes, but shows nothing: one timed waiter switches the detection of
// deadlocks off. This is the second the original's Shutdown took.
struct AsItWasWithTimeout : OneWorker {
  static constexpr const char* kName = "as it was, 1 s timeout";
  static constexpr const char* kBounds = "1 worker, 1 task, timer may fire";
  static constexpr Timer kTimer = Timer::kFires;
  static constexpr Fix kFix = kAsItWas;
};
struct AsItWasUntimed : OneWorker {
  static constexpr const char* kName = "as it was, untimed";
  static constexpr Fix kFix = kAsItWas;
  static constexpr rl::test_result_e kExpected = rl::test_result_deadlock;
};
struct Fixed : OneWorker {
  static constexpr const char* kName = "fixed";
};
struct FixedTwoWorkers : OneWorker {
  static constexpr const char* kName = "fixed, two workers";
  static constexpr const char* kBounds = "2 workers, 1 task, no timer";
  static constexpr unsigned kWorkers = 2;
};
struct FlagOutsideMutex : OneWorker {
  static constexpr const char* kName = "flag set outside the mutex";
  static constexpr Fix kFix{.flag_under_mutex = false};
  static constexpr rl::test_result_e kExpected = rl::test_result_deadlock;
};
struct NoNotify : OneWorker {
  static constexpr const char* kName = "no notify";
  static constexpr Fix kFix{.wake = Wake::kNobody};
  static constexpr rl::test_result_e kExpected = rl::test_result_deadlock;
};
struct NotifyOne : FixedTwoWorkers {
  static constexpr const char* kName = "notify_one for notify_all";
  static constexpr Fix kFix{.wake = Wake::kOne};
  static constexpr rl::test_result_e kExpected = rl::test_result_deadlock;
};
struct PredicateBlind : OneWorker {
  static constexpr const char* kName = "predicate ignores the flag";
  static constexpr Fix kFix{.predicate_reads_flag = false};
  static constexpr rl::test_result_e kExpected = rl::test_result_deadlock;
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<ShutdownReturns<AsItWasWithTimeout>,
               ShutdownReturns<AsItWasUntimed>, ShutdownReturns<Fixed>,
               ShutdownReturns<FixedTwoWorkers>,
               ShutdownReturns<FlagOutsideMutex>, ShutdownReturns<NoNotify>,
               ShutdownReturns<NotifyOne>, ShutdownReturns<PredicateBlind>>(
      argc, argv);
}
