// The options of the back-off strategy, and the end of its sleep.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <stdexcept>
#include <vector>

#include "gate.h"
#include "pool/worker_pool.h"
#include "tally.h"

namespace workerpool_test {
namespace {

using std::chrono::nanoseconds;
using workerpool::BackoffWait;
using workerpool::BackoffWorkerPool;
using workerpool::StdPlatform;
using workerpool::WorkerPoolOptions;

WorkerPoolOptions Sleeps(nanoseconds shortest, nanoseconds longest) {
  WorkerPoolOptions options;
  options.workers = 1;
  options.wait.shortest_sleep = shortest;
  options.wait.longest_sleep = longest;
  return options;
}

TEST(BackoffOptionsTest, SleepsMustBePositiveAndInOrder) {
  using Pool = BackoffWorkerPool;
  EXPECT_THROW(Pool(Sleeps(nanoseconds(0), nanoseconds(9))),
               std::invalid_argument);
  EXPECT_THROW(Pool(Sleeps(nanoseconds(-1), nanoseconds(9))),
               std::invalid_argument);
  EXPECT_THROW(Pool(Sleeps(nanoseconds(9), nanoseconds(8))),
               std::invalid_argument);
  EXPECT_NO_THROW(Pool(Sleeps(nanoseconds(9), nanoseconds(9))));
}

TEST(BackoffOptionsTest, TasksRunWithTheShortestSleeps) {
  Tally tally(50);
  BackoffWorkerPool pool(Sleeps(nanoseconds(1), nanoseconds(1)));
  pool.Startup();
  for (std::size_t i = 0; i != 50; ++i) {
    pool.Submit(tally.Task(i));
    pool.WaitIdle();
  }
  EXPECT_EQ(tally.RanExactlyOnce(), 50u);
}

// Condition variable that remembers what it was asked to sleep.
struct RecordingPlatform : StdPlatform {
  class CondVar : public std::condition_variable {
   public:
    void wait_for(Lock&, nanoseconds duration) { asked.push_back(duration); }
    static inline std::vector<nanoseconds> asked;
  };
};

// Waits as often as that and returns how long each sleep was to be.
std::vector<nanoseconds> SleepsOf(const workerpool::WaitOptions& options,
                                  int count, bool draining) {
  RecordingPlatform::CondVar::asked.clear();
  BackoffWait<RecordingPlatform> wait(options);
  BackoffWait<RecordingPlatform>::PerWorker worker;
  for (int i = 0; i != count; ++i) {
    wait.Wait(
        worker, [] { return false; }, [&] { return draining; });
  }
  wait.Wait(
      worker, [] { return true; }, [] { return false; });  // does not sleep
  wait.Found(worker);
  wait.Wait(
      worker, [] { return false; }, [&] { return draining; });
  return RecordingPlatform::CondVar::asked;
}

TEST(BackoffOptionsTest, SleepsDoubleUpToTheLongestAndStartAnewAfterATask) {
  using std::chrono::microseconds;
  const std::vector<nanoseconds> expected = {microseconds(1), microseconds(2),
                                             microseconds(4), microseconds(5),
                                             microseconds(5), microseconds(1)};
  EXPECT_EQ(SleepsOf({.shortest_sleep = microseconds(1),
                      .longest_sleep = microseconds(5)},
                     5, /*draining=*/false),
            expected);
}

// The longest duration there is stands for "never": adding to it, or doubling
// it, must not wrap around to a sleep in the past.
TEST(BackoffOptionsTest, TheLongestSleepMayBeUnlimited) {
  const nanoseconds half = nanoseconds::max() / 2 + nanoseconds(1);
  for (const nanoseconds shortest :
       {nanoseconds(1), half, nanoseconds::max()}) {
    nanoseconds before{0};
    const auto sleeps = SleepsOf(
        {.shortest_sleep = shortest, .longest_sleep = nanoseconds::max()}, 100,
        /*draining=*/false);
    for (int i = 0; i != 100; ++i) {
      EXPECT_GE(sleeps[static_cast<std::size_t>(i)], before);
      before = sleeps[static_cast<std::size_t>(i)];
    }
    EXPECT_GE(before, std::chrono::hours(1));
    EXPECT_LE(before, nanoseconds::max() / 4) << "now plus this must not wrap";
  }
}

TEST(BackoffOptionsTest, SleepsAreBriefOnceTheSessionIsClosed) {
  using std::chrono::hours;
  for (const nanoseconds sleep :
       SleepsOf({.shortest_sleep = hours(1), .longest_sleep = hours(1)}, 5,
                /*draining=*/true)) {
    EXPECT_LE(sleep, std::chrono::milliseconds(1));
  }
}

// Nobody told the sleeper about the task: Shutdown has to.
TEST(BackoffOptionsTest, ShutdownWakesASleeperForATaskThatIsStillQueued) {
  Tally tally(1);
  BackoffWorkerPool pool(Sleeps(std::chrono::hours(1), std::chrono::hours(1)));
  pool.Startup();
  GiveFaultsAChance();  // let the worker fall asleep
  pool.Submit(tally.Task(0));
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

}  // namespace
}  // namespace workerpool_test
