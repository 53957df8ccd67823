// What every pool promises about tasks: each accepted one runs exactly once,
// in a sensible order, and none that was refused runs at all.
#include "pool/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "drain.h"
#include "errors.h"
#include "gate.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

template <class Pool>
void SubmitFromThreads(Pool& pool, Tally& tally, std::size_t threads,
                       std::size_t tasks_each) {
  std::vector<std::jthread> submitters;
  for (std::size_t t = 0; t != threads; ++t) {
    submitters.emplace_back([&, t] {
      for (std::size_t i = 0; i != tasks_each; ++i) {
        pool.Submit(tally.Task(t * tasks_each + i));
      }
    });
  }
}

TYPED_TEST(WorkerPoolTest, ShutdownRunsEveryAcceptedTaskExactlyOnce) {
  Tally tally(2000);
  PoolOf<TypeParam> pool("pool", 3);
  pool.Startup();
  SubmitFromThreads(pool, tally, 4, 500);
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 2000u);
}

TYPED_TEST(WorkerPoolTest, WaitIdleReturnsAfterEveryAcceptedTaskHasRun) {
  Tally tally(2000);
  PoolOf<TypeParam> pool("pool", 3);
  pool.Startup();
  SubmitFromThreads(pool, tally, 4, 500);
  pool.WaitIdle();
  EXPECT_EQ(tally.RanExactlyOnce(), 2000u);
}

TYPED_TEST(WorkerPoolTest, WaitIdleReturnsAgainAndAgain) {
  Tally tally(300);
  PoolOf<TypeParam> pool("pool", 2);
  pool.Startup();
  for (std::size_t i = 0; i != 300; ++i) {
    pool.Submit(tally.Task(i));
    pool.WaitIdle();
    ASSERT_EQ(tally.Runs(), i + 1);
  }
  EXPECT_EQ(tally.RanExactlyOnce(), 300u);
}

TYPED_TEST(WorkerPoolTest, SeveralThreadsMayWaitForIdle) {
  Gate gate;
  std::atomic<int> returned{0}, early{0};
  Tally tally(1);
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  pool.Submit([&] {
    gate.Pass();
    tally.Count(0);
  });
  {
    std::vector<std::jthread> waiters;
    for (int i = 0; i != 3; ++i) {
      waiters.emplace_back([&] {
        pool.WaitIdle();
        if (tally.Runs() != 1) ++early;
        ++returned;
      });
    }
    GiveFaultsAChance();
    gate.Open();
  }
  EXPECT_EQ(returned, 3);
  EXPECT_EQ(early, 0);
  EXPECT_EQ(tally.Runs(), 1u);
}

TYPED_TEST(WorkerPoolTest, WaitIdleWaitsForTheChildrenOfTasks) {
  Tally tally(2);
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  pool.Submit([&] {
    pool.Submit([&] {
      GiveFaultsAChance();
      tally.Count(1);
    });
    tally.Count(0);
  });
  pool.WaitIdle();
  EXPECT_EQ(tally.RanExactlyOnce(), 2u);
}

TYPED_TEST(WorkerPoolTest, WaitIdleOfAPoolThatNeverRanReturns) {
  PoolOf<TypeParam> pool("pool", 1);
  pool.WaitIdle();
  EXPECT_FALSE(pool.IsRunning());
}

TYPED_TEST(WorkerPoolTest, TheDestructorRunsEveryAcceptedTask) {
  Tally tally(100);
  {
    PoolOf<TypeParam> pool("pool", 2);
    pool.Startup();
    for (std::size_t i = 0; i != 100; ++i) pool.Submit(tally.Task(i));
  }
  EXPECT_EQ(tally.RanExactlyOnce(), 100u);
}

// A pool that stops so soon finds its workers anywhere between their creation
// and their first sleep.
TYPED_TEST(WorkerPoolTest, APoolMayBeDestroyedRightAfterItsStart) {
  for (std::size_t round = 0; round != 200; ++round) {
    const std::size_t tasks = round % 4;
    Tally tally(tasks);
    {
      PoolOf<TypeParam> pool("pool", 1 + static_cast<std::uint32_t>(round % 3));
      pool.Startup();
      for (std::size_t i = 0; i != tasks; ++i) pool.Submit(tally.Task(i));
    }
    ASSERT_EQ(tally.RanExactlyOnce(), tasks);
  }
}

TYPED_TEST(WorkerPoolTest, APoolThatNeverStartedMayBeDestroyed) {
  for (std::uint32_t workers = 1; workers != 5; ++workers) {
    PoolOf<TypeParam> pool("pool", workers);
    EXPECT_EQ(pool.NumWorkers(), workers);
  }
}

// Each task has two children until the depth is used up.
template <class Pool>
void SubmitTree(Pool& pool, std::atomic<int>& runs, int depth) {
  pool.Submit([&pool, &runs, depth] {
    ++runs;
    if (depth == 0) return;
    SubmitTree(pool, runs, depth - 1);
    SubmitTree(pool, runs, depth - 1);
  });
}

TYPED_TEST(WorkerPoolTest, ShutdownRunsTheChildrenThatTasksSubmit) {
  for (std::uint32_t workers = 1; workers != 4; ++workers) {
    std::atomic<int> runs{0};
    PoolOf<TypeParam> pool("pool", workers);
    pool.Startup();
    SubmitTree(pool, runs, 7);
    pool.Shutdown();
    EXPECT_EQ(runs, 255) << workers << " workers";
  }
}

// The other workers have nothing to do and must neither leave too early nor
// sleep through the end.
TYPED_TEST(WorkerPoolTest, AChainOfChildrenDuringTheDrainRunsToItsEnd) {
  int runs = 0;
  PoolOf<TypeParam> pool("pool", 3);
  pool.Startup();
  std::function<void()> link = [&] {
    if (++runs != 100) pool.Submit(link);
  };
  Drain drain(pool, [&] { pool.Submit(link); });
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_EQ(runs, 100);
}

TYPED_TEST(WorkerPoolTest, TrySubmitLeavesARefusedCallableUntouched) {
  PoolOf<TypeParam> pool("pool", 1);
  int runs = 0;
  auto task = [&runs, owned = std::make_unique<int>(7)] { runs += *owned; };
  EXPECT_FALSE(pool.TrySubmit(std::move(task)));
  EXPECT_EQ(SystemErrorOf([&] { pool.Submit(std::move(task)); }), kRefused);
  task();  // it is still whole
  EXPECT_EQ(runs, 7);
  pool.Startup();
  EXPECT_TRUE(pool.TrySubmit(std::move(task)));
  pool.Shutdown();
  EXPECT_EQ(runs, 14);
}

TYPED_TEST(WorkerPoolTest, AnEmptyCallableIsInvalidAndNotAccepted) {
  PoolOf<TypeParam> pool("pool", 1);
  const std::function<void()> empty;
  void (*const null)() = nullptr;
  for (const bool started : {false, true}) {
    if (started) pool.Startup();
    EXPECT_THROW(pool.Submit(empty), std::invalid_argument);
    EXPECT_THROW(pool.Submit(std::function<void()>()), std::invalid_argument);
    EXPECT_THROW(pool.Submit(null), std::invalid_argument);
    EXPECT_THROW((void)pool.TrySubmit(empty), std::invalid_argument);
    EXPECT_THROW((void)pool.TrySubmit(null), std::invalid_argument);
  }
  pool.WaitIdle();  // nothing is pending
  EXPECT_EQ(pool.TaskExceptions(), 0u);
}

// A queue of two overflows at once, and again and again as it is emptied.
TYPED_TEST(WorkerPoolTest, OneWorkerRunsOneSubmittersTasksInTheirOrder) {
  for (const std::size_t capacity : {1u, 2u, 64u, 4096u}) {
    std::vector<int> order;
    PoolOf<TypeParam> pool(
        {.name = "pool", .workers = 1, .queue_capacity = capacity});
    pool.Startup();
    for (int i = 0; i != 1000; ++i) {
      pool.Submit([&order, i] { order.push_back(i); });
    }
    pool.Shutdown();
    ASSERT_EQ(order.size(), 1000u);
    for (int i = 0; i != 1000; ++i) ASSERT_EQ(order[static_cast<size_t>(i)], i);
  }
}

TYPED_TEST(WorkerPoolTest, OneWorkerRunsAStalledBacklogInItsOrder) {
  Gate gate;
  std::vector<int> order;
  PoolOf<TypeParam> pool({.name = "pool", .workers = 1, .queue_capacity = 2});
  pool.Startup();
  pool.Submit([&] { gate.Pass(); });
  for (int i = 0; i != 1000; ++i) {
    pool.Submit([&order, i] { order.push_back(i); });
  }
  gate.Open();
  pool.WaitIdle();
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i != 1000; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TYPED_TEST(WorkerPoolTest, OptionsOutOfRangeAreInvalid) {
  using Pool = PoolOf<TypeParam>;
  EXPECT_THROW(Pool("pool", 0), std::invalid_argument);
  EXPECT_THROW(Pool({.workers = 0}), std::invalid_argument);
  EXPECT_THROW(Pool({.queue_capacity = 0}), std::invalid_argument);
  EXPECT_THROW(Pool({.queue_capacity = (std::size_t{1} << 30) + 1}),
               std::invalid_argument);
}

TYPED_TEST(WorkerPoolTest, NumWorkersIsWhatTheConstructorWasGiven) {
  for (const std::uint32_t workers : {1u, 2u, 9u}) {
    PoolOf<TypeParam> pool("pool", workers);
    EXPECT_EQ(pool.NumWorkers(), workers);
    pool.Startup();
    EXPECT_EQ(pool.NumWorkers(), workers);
    pool.Shutdown();
    EXPECT_EQ(pool.NumWorkers(), workers);
  }
}

TYPED_TEST(WorkerPoolTest, ANegativeNumberOfWorkersIsRefused) {
  using Pool = PoolOf<TypeParam>;
  const int workers = -1;
  EXPECT_THROW(Pool("pool", static_cast<std::uint32_t>(workers)),
               std::invalid_argument);
  EXPECT_EQ(Pool("pool", 65536).NumWorkers(), 65536u);
  EXPECT_THROW(Pool("pool", 65537), std::invalid_argument);
}

}  // namespace
}  // namespace workerpool_test
