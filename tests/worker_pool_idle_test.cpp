// Who works and who sleeps: work is conserved, idle workers cost nothing, and
// the workers carry their names.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "drain.h"
#include "gate.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"
#include "threads_of_process.h"

namespace workerpool_test {
namespace {

// As many tasks as workers wait for each other: they get to run at the same
// time or not at all.
template <class Pool>
void MeetOnEveryWorker(Pool& pool) {
  const std::size_t workers = pool.NumWorkers();
  Tally tally(workers);
  std::barrier all(static_cast<std::ptrdiff_t>(workers));
  for (std::size_t i = 0; i != workers; ++i) {
    pool.Submit([&, i] {
      all.arrive_and_wait();
      tally.Count(i);
    });
  }
  pool.WaitIdle();
  ASSERT_EQ(tally.RanExactlyOnce(), workers);
}

TYPED_TEST(WorkerPoolTest, AsManyTasksAsWorkersRunAtTheSameTime) {
  for (std::uint32_t workers = 1; workers != 9; ++workers) {
    PoolOf<TypeParam> pool("pool", workers);
    pool.Startup();
    for (int round = 0; round != 20; ++round) MeetOnEveryWorker(pool);
  }
}

TYPED_TEST(WorkerPoolTest,
           AsManyTasksAsWorkersRunAtTheSameTimeAfterAnIdlePeriod) {
  for (std::uint32_t workers = 1; workers != 9; ++workers) {
    PoolOf<TypeParam> pool("pool", workers);
    pool.Startup();
    for (int round = 0; round != 2; ++round) {
      GiveFaultsAChance();  // all workers fall asleep
      MeetOnEveryWorker(pool);
    }
  }
}

// One task occupies a worker and submits the rest from inside.
TYPED_TEST(WorkerPoolTest, TheChildrenOfABlockedTaskRunOnTheOtherWorkers) {
  constexpr std::size_t kWorkers = 4;
  Tally tally(kWorkers);
  PoolOf<TypeParam> pool("pool", kWorkers);
  pool.Startup();
  for (int round = 1; round != 21; ++round) {
    std::barrier all(kWorkers);
    const auto meet = [&](std::size_t i) {
      all.arrive_and_wait();
      tally.Count(i);
    };
    pool.Submit([&] {
      for (std::size_t i = 1; i != kWorkers; ++i) {
        pool.Submit([&, i] { meet(i); });
      }
      meet(0);
    });
    pool.WaitIdle();
    ASSERT_EQ(tally.Runs(), static_cast<std::size_t>(round) * kWorkers);
  }
}

// A drain is no excuse for workers that still find nothing to leave: a task
// that runs may submit, and wait for what it has submitted.
TYPED_TEST(WorkerPoolTest, WorkIsConservedDuringADrain) {
  for (std::uint32_t workers = 2; workers != 5; ++workers) {
    Tally tally(workers);
    PoolOf<TypeParam> pool("pool", workers);
    pool.Startup();
    std::barrier all(static_cast<std::ptrdiff_t>(workers));
    const auto meet = [&](std::size_t i) {
      all.arrive_and_wait();
      tally.Count(i);
    };
    Drain drain(pool, [&] {
      GiveFaultsAChance();  // the others look around once more
      for (std::size_t i = 1; i != workers; ++i)
        pool.Submit([&, i] { meet(i); });
      meet(0);
    });
    drain.Finish();
    EXPECT_TRUE(drain.TaskRan());
    EXPECT_EQ(tally.RanExactlyOnce(), workers);
  }
}

// Blocked tasks hold all workers but one; the rest of the work still runs.
TYPED_TEST(WorkerPoolTest, OneFreeWorkerRunsWhatBlockedOnesCannot) {
  Gate gate;
  Tally tally(103);
  PoolOf<TypeParam> pool("pool", 4);
  pool.Startup();
  for (std::size_t i = 0; i != 3; ++i) {
    pool.Submit([&, i] {
      gate.Pass();
      tally.Count(100 + i);
    });
  }
  gate.AwaitArrivals(3);
  for (std::size_t i = 0; i != 100; ++i) pool.Submit(tally.Task(i));
  WaitUntil([&] { return tally.Runs() == 100; });
  gate.Open();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 103u);
}

std::set<std::string> NamesOfWorkers(const std::string& pool_name,
                                     std::uint32_t workers) {
  std::set<std::string> names;
  std::mutex mutex;
  workerpool::WorkerPool pool(pool_name, workers);
  pool.Startup();
  std::barrier all(static_cast<std::ptrdiff_t>(workers));
  for (std::uint32_t i = 0; i != workers; ++i) {
    pool.Submit([&] {
      char name[32] = {};
      pthread_getname_np(pthread_self(), name, sizeof(name));
      {
        const std::lock_guard lock(mutex);
        names.insert(name);
      }
      all.arrive_and_wait();
    });
  }
  pool.Shutdown();
  return names;
}

TEST(WorkerNameTest, APoolsNameIsCutAndTheWorkersNumberStays) {
  using Names = std::set<std::string>;
  EXPECT_EQ(NamesOfWorkers("db", 2), (Names{"db-worker-0", "db-worker-1"}));
  EXPECT_EQ(NamesOfWorkers("query-executor", 1), Names{"query--worker-0"});
  EXPECT_EQ(NamesOfWorkers("", 1), Names{"-worker-0"});
}

TEST(WorkerNameTest, EveryNameFitsFifteenCharacters) {
  using workerpool::WorkerThreadName;
  EXPECT_EQ(WorkerThreadName("query-executor", 0), "query--worker-0");
  EXPECT_EQ(WorkerThreadName("query-executor", 10), "query-worker-10");
  EXPECT_EQ(WorkerThreadName("q", 123456), "q-worker-123456");
  for (std::size_t index = 1; index < 10'000'000; index *= 10) {
    EXPECT_LE(WorkerThreadName("a-rather-long-name", index).size(), 15u);
  }
}

// Counts, not times: a worker that wakes up leaves a voluntary switch behind
// when it goes to sleep again. The bound on these is far below what polling
// costs; the one on CPU time below finds spinning only.
TEST(IdleCostTest, IdleWorkersOfTheDefaultPoolSleepThrough) {
  Tally tally(100);
  workerpool::WorkerPool pool("idle", 4);
  pool.Startup();
  for (std::size_t i = 0; i != 100; ++i) pool.Submit(tally.Task(i));
  pool.WaitIdle();
  // Each worker has gone to sleep at least once, so this does count something.
  WaitUntil([] { return VoluntarySwitchesOf("idle-worker") >= 4; });
  GiveFaultsAChance();
  const long switches = VoluntarySwitchesOf("idle-worker");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LE(VoluntarySwitchesOf("idle-worker") - switches, 16);
  EXPECT_EQ(tally.RanExactlyOnce(), 100u);
}

// What the bound above is good for: workers that poll pass it.
TEST(IdleCostTest, TheMeasureSeesWorkersThatPoll) {
  workerpool::BackoffWorkerPool pool("idle", 4);
  pool.Startup();
  const long switches = VoluntarySwitchesOf("idle-worker");
  WaitUntil([&] { return VoluntarySwitchesOf("idle-worker") - switches > 16; });
  EXPECT_TRUE(pool.IsRunning());
}

long CpuMicroseconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000L +
         usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

TEST(IdleCostTest, IdleWorkersOfTheDefaultPoolBurnNoCpu) {
  Tally tally(100);
  workerpool::WorkerPool pool("idle", 8);
  pool.Startup();
  for (std::size_t i = 0; i != 100; ++i) pool.Submit(tally.Task(i));
  pool.WaitIdle();
  GiveFaultsAChance();
  const long before = CpuMicroseconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LE(CpuMicroseconds() - before, 100'000);
  EXPECT_EQ(tally.RanExactlyOnce(), 100u);
}

}  // namespace
}  // namespace workerpool_test
