// Startup and Shutdown: from several threads, again and again, against each
// other, and from the pool's own tasks.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

#include "drain.h"
#include "errors.h"
#include "gate.h"
#include "odd_platforms.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"
#include "threads_of_process.h"

namespace workerpool_test {
namespace {

// Makes `workers` tasks meet, so that every worker has run one.
template <class Pool>
void RunOnEveryWorker(Pool& pool, std::function<void()> task) {
  const auto workers = static_cast<std::ptrdiff_t>(pool.NumWorkers());
  std::barrier all(workers);
  for (std::ptrdiff_t i = 0; i != workers; ++i) {
    pool.Submit([&] {
      task();
      all.arrive_and_wait();
    });
  }
  pool.WaitIdle();
}

// A thread appears with its name, and disappears, a little late. One too many
// would stay.
void ExpectWorkers(std::size_t count) {
  WaitUntil([&] { return CountThreadsNamed("pool-worker") == count; });
  if (count != 0) GiveFaultsAChance();
  EXPECT_EQ(CountThreadsNamed("pool-worker"), count);
}

TYPED_TEST(WorkerPoolTest, StartupIsIdempotent) {
  PoolOf<TypeParam> pool("pool", 2);
  pool.Startup();
  pool.Startup();
  ExpectWorkers(2);
  EXPECT_TRUE(pool.IsRunning());
  Tally tally(1);
  pool.Submit(tally.Task(0));
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TYPED_TEST(WorkerPoolTest, ConcurrentStartupsCreateOneCrew) {
  for (int round = 0; round != 20; ++round) {
    Tally tally(4);
    PoolOf<TypeParam> pool("pool", 2);
    {
      std::vector<std::jthread> starters;
      for (std::size_t i = 0; i != 4; ++i) {
        starters.emplace_back([&, i] {
          pool.Startup();
          pool.Submit(tally.Task(i));  // whoever returned may submit
        });
      }
    }
    if (round == 0) ExpectWorkers(2);
    pool.Shutdown();
    ASSERT_EQ(tally.RanExactlyOnce(), 4u);
  }
}

TYPED_TEST(WorkerPoolTest, ShutdownIsIdempotent) {
  Tally tally(10);
  PoolOf<TypeParam> pool("pool", 2);
  pool.Shutdown();  // never started
  pool.Startup();
  for (std::size_t i = 0; i != 10; ++i) pool.Submit(tally.Task(i));
  pool.Shutdown();
  pool.Shutdown();
  EXPECT_FALSE(pool.IsRunning());
  EXPECT_EQ(tally.RanExactlyOnce(), 10u);
}

// Counts the threads that have ended, by way of a thread_local: its destructor
// is the last thing of a worker that a test can see.
struct EndOfThread {
  static inline std::atomic<int> count{0};
  ~EndOfThread() { ++count; }
  static void Watch() {
    thread_local EndOfThread watcher;
    (void)&watcher;
  }
};

TYPED_TEST(WorkerPoolTest,
           EveryOneOfSeveralShutdownsReturnsAfterTheLastWorker) {
  EndOfThread::count = 0;
  Gate gate;
  std::atomic<int> returned{0}, early{0};
  Tally tally(1);
  PoolOf<TypeParam> pool("pool", 3);
  pool.Startup();
  RunOnEveryWorker(pool, &EndOfThread::Watch);
  pool.Submit([&] {
    gate.Pass();
    tally.Count(0);
  });
  {
    std::vector<std::jthread> closers;
    for (int i = 0; i != 3; ++i) {
      closers.emplace_back([&] {
        pool.Shutdown();
        if (EndOfThread::count != 3) ++early;
        ++returned;
      });
    }
    WaitUntil([&] { return !pool.IsRunning(); });
    GiveFaultsAChance();
    EXPECT_EQ(returned, 0);
    gate.Open();
  }
  EXPECT_EQ(returned, 3);
  EXPECT_EQ(early, 0);
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TYPED_TEST(WorkerPoolTest, ConcurrentShutdownsReturnInEverySession) {
  Tally tally(100);
  PoolOf<TypeParam> pool("pool", 2);
  for (std::size_t round = 0; round != 100; ++round) {
    pool.Startup();
    pool.Submit(tally.Task(round));
    std::jthread one([&] { pool.Shutdown(); });
    std::jthread two([&] { pool.Shutdown(); });
    pool.Shutdown();
    ASSERT_EQ(tally.RanExactlyOnce(), round + 1);
  }
}

TYPED_TEST(WorkerPoolTest, ARestartedPoolBehavesAsTheFirst) {
  PoolOf<TypeParam> pool("pool", 2);
  for (int session = 0; session != 20; ++session) {
    Tally tally(60);
    EXPECT_FALSE(pool.IsRunning());
    pool.Startup();
    EXPECT_TRUE(pool.IsRunning());
    for (std::size_t i = 0; i != 30; ++i) {
      pool.Submit([&, i] {
        tally.Count(i);
        pool.Submit(tally.Task(30 + i));
      });
    }
    if (session % 2 == 0) pool.WaitIdle();
    pool.Shutdown();
    ExpectWorkers(0);
    EXPECT_FALSE(pool.TrySubmit(tally.Task(0)));
    ASSERT_EQ(tally.RanExactlyOnce(), 60u);
  }
}

TYPED_TEST(WorkerPoolTest, StartupDuringADrainWaitsAndStartsANewSession) {
  Tally tally(1);
  std::atomic<bool> started{false};
  PoolOf<TypeParam> pool("pool", 2);
  pool.Startup();
  Drain drain(pool);
  std::thread starter([&] {
    pool.Startup();
    started = true;
  });
  GiveFaultsAChance();
  EXPECT_FALSE(started);
  drain.Finish();
  starter.join();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_TRUE(pool.IsRunning());
  pool.Submit(tally.Task(0));
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TYPED_TEST(WorkerPoolTest, StartupAgainstShutdownLeavesAUsablePool) {
  PoolOf<TypeParam> pool("pool", 2);
  std::atomic<std::size_t> accepted{0}, runs{0};
  const auto submit = [&] {
    if (pool.TrySubmit([&] { ++runs; })) ++accepted;
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t != 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i != 60; ++i) {
          t % 2 == 0 ? pool.Startup() : pool.Shutdown();
          submit();
        }
      });
    }
  }
  pool.Startup();
  submit();
  pool.Shutdown();
  EXPECT_GE(accepted, 1u);
  EXPECT_EQ(runs, accepted);
}

// A wake-up proves nothing: whoever waits looks again.
TYPED_TEST(WorkerPoolTest, SpuriousWakeUpsChangeNothing) {
  PoolOf<TypeParam, SpuriousPlatform> pool("pool", 2);
  for (int session = 0; session != 3; ++session) {
    Tally tally(2);
    pool.Startup();
    Gate gate;
    pool.Submit([&] {
      gate.Pass();
      pool.Submit(tally.Task(0));
    });
    gate.AwaitArrivals(1);
    std::atomic<int> returned{0};
    const auto then_count = [&](auto call) {
      call();
      ++returned;
    };
    {
      std::jthread idler([&] { then_count([&] { pool.WaitIdle(); }); });
      std::jthread one([&] { then_count([&] { pool.Shutdown(); }); });
      WaitUntil([&] { return !pool.IsRunning(); });
      std::jthread two([&] { then_count([&] { pool.Shutdown(); }); });
      std::jthread three([&] { then_count([&] { pool.Startup(); }); });
      GiveFaultsAChance();
      EXPECT_EQ(returned, 0);
      gate.Open();
    }
    EXPECT_EQ(returned, 4);
    pool.Startup();  // whichever of the calls came last
    pool.Submit(tally.Task(1));
    pool.Shutdown();
    EXPECT_EQ(tally.RanExactlyOnce(), 2u);
  }
}

// Runs `call` as a task and returns the error it met.
template <class Pool, class Call>
std::error_code ErrorInTask(Pool& pool, Call call) {
  std::error_code met = std::make_error_code(std::errc::interrupted);
  pool.Submit([&] { met = SystemErrorOf(call); });
  pool.WaitIdle();
  return met;
}

TYPED_TEST(WorkerPoolTest, ShutdownFromATaskIsAnErrorAndThePoolGoesOn) {
  Tally tally(1);
  PoolOf<TypeParam> pool("pool", 2);
  pool.Startup();
  EXPECT_EQ(ErrorInTask(pool, [&] { pool.Shutdown(); }), kWouldDeadlock);
  EXPECT_TRUE(pool.IsRunning());
  pool.Submit(tally.Task(0));
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TYPED_TEST(WorkerPoolTest, WaitIdleFromATaskIsAnError) {
  PoolOf<TypeParam> pool("pool", 2);
  pool.Startup();
  EXPECT_EQ(ErrorInTask(pool, [&] { pool.WaitIdle(); }), kWouldDeadlock);
  EXPECT_TRUE(pool.IsRunning());
}

TYPED_TEST(WorkerPoolTest, StartupFromATaskOfARunningPoolReturns) {
  PoolOf<TypeParam> pool("pool", 2);
  pool.Startup();
  EXPECT_EQ(ErrorInTask(pool, [&] { pool.Startup(); }), std::error_code());
  EXPECT_TRUE(pool.IsRunning());
}

TYPED_TEST(WorkerPoolTest, NoTaskOfADrainingPoolMayWaitForThePool) {
  std::error_code startup, shutdown, wait_idle;
  PoolOf<TypeParam> pool("pool", 2);
  pool.Startup();
  Drain drain(pool, [&] {
    startup = SystemErrorOf([&] { pool.Startup(); });
    shutdown = SystemErrorOf([&] { pool.Shutdown(); });
    wait_idle = SystemErrorOf([&] { pool.WaitIdle(); });
  });
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_EQ(startup, kWouldDeadlock);
  EXPECT_EQ(shutdown, kWouldDeadlock);
  EXPECT_EQ(wait_idle, kWouldDeadlock);
  EXPECT_FALSE(pool.IsRunning());
}

TYPED_TEST(WorkerPoolTest, ATaskMayControlAnotherPool) {
  Tally tally(1);
  PoolOf<TypeParam> outer("outer", 1), inner("inner", 1);
  outer.Startup();
  EXPECT_EQ(ErrorInTask(outer,
                        [&] {
                          inner.Startup();
                          inner.Submit(tally.Task(0));
                          inner.WaitIdle();
                          inner.Shutdown();
                        }),
            std::error_code());
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

// A strategy whose timer, if it has one, never fires during a test: whoever
// sleeps has to be woken.
template <class Strategy>
class Timeless : public Strategy::template Wait<workerpool::StdPlatform> {
 public:
  explicit Timeless(const workerpool::WaitOptions&)
      : Strategy::template Wait<workerpool::StdPlatform>(
            {.shortest_sleep = std::chrono::hours(1),
             .longest_sleep = std::chrono::hours(1)}) {}
};

template <class Strategy>
using TimelessPool =
    workerpool::BasicWorkerPool<workerpool::StdPlatform, Timeless<Strategy>>;

// Also a worker that is just about to fall asleep.
TYPED_TEST(WorkerPoolTest, ShutdownWakesIdleWorkersWithoutTheirTimer) {
  for (int round = 0; round != 300; ++round) {
    TimelessPool<TypeParam> pool("pool", 2);
    pool.Startup();
    if (round % 100 == 0) GiveFaultsAChance();
    pool.Shutdown();
    ASSERT_FALSE(pool.IsRunning());
  }
}

// A held task is found by a worker that has not slept yet. When Shutdown has
// begun, it is that task that ends the session, and its worker that wakes the
// others.
TYPED_TEST(WorkerPoolTest, TheLastTaskOfADrainWakesIdleWorkers) {
  for (int round = 0; round != 50; ++round) {
    Gate gate;
    Tally tally(1);
    workerpool::TaskQueue queue(8);
    TimelessPool<TypeParam> pool("pool", 3, queue);
    queue.Enqueue([&] {
      gate.Pass();
      tally.Count(0);
    });
    pool.Startup();
    gate.AwaitArrivals(1);
    std::thread closer([&] { pool.Shutdown(); });
    WaitUntil([&] { return !pool.IsRunning(); });
    if (round % 10 == 0) GiveFaultsAChance();
    gate.Open();
    closer.join();
    ASSERT_EQ(tally.RanExactlyOnce(), 1u);
  }
}

}  // namespace
}  // namespace workerpool_test
