// The original's interface: its call sites compile as they were, with an alias
// of the namespace, and do what they did.
#include "pool/mono_queue_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "gate.h"
#include "pool/worker_pool.h"
#include "pool/worker_pool_fwd.h"
#include "tally.h"

namespace threadpool = workerpool;

namespace workerpool_test {
namespace {

// A latch as callers of the original have it: the tasks need not finish.
TEST(MonoQueuePoolTest, OriginalCallSitesOfThePoolCompileAndRun) {
  Tally tally(4);
  std::atomic<int> left{4};
  threadpool::MonoQueuePool executor_pool("executor-pool", 32, 4);
  executor_pool.Startup();
  EXPECT_TRUE(executor_pool.IsRunning());
  EXPECT_EQ(executor_pool.NumWorkers(), 4u);
  for (std::uint32_t i = 0; i < executor_pool.NumWorkers(); ++i) {
    const std::function<void()> work = [&, i] {
      tally.Count(i);
      --left;
      WaitUntil([&] { return left == 0; });
    };
    executor_pool.SubmitTask(work);
  }
  executor_pool.Shutdown();
  EXPECT_FALSE(executor_pool.IsRunning());
  EXPECT_EQ(tally.RanExactlyOnce(), 4u);
}

TEST(MonoQueuePoolTest, OriginalCallSitesOfQueueAndPoolCompileAndRun) {
  Tally tally(3);
  const std::string pool_name = "test-pool";
  const std::uint32_t num_workers = 2;
  threadpool::TaskQueue task_queue(32);
  task_queue.Enqueue(tally.Task(0));
  threadpool::WorkerPool worker_pool(pool_name, num_workers, task_queue);
  worker_pool.Startup();
  task_queue.Enqueue(tally.Task(1));
  worker_pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 2u);
  EXPECT_TRUE(task_queue.IsEmpty());
  task_queue.Enqueue(tally.Task(2));
  std::function<void()> task;
  EXPECT_TRUE(task_queue.Dequeue(task));
  task();
  EXPECT_EQ(tally.RanExactlyOnce(), 3u);
  EXPECT_EQ(worker_pool.NumWorkers(), 2u);
}

// Users of the original keep pools behind pointers and delete them. Compilers
// warn about that if the class has virtual functions but no virtual destructor
// and could be a base.
template <class Pool>
constexpr bool kDeletesWithoutWarning =
    !std::is_polymorphic_v<Pool> || std::has_virtual_destructor_v<Pool> ||
    std::is_final_v<Pool>;

TEST(MonoQueuePoolTest, DeletingAPoolIsNotWorthAWarning) {
  EXPECT_TRUE(kDeletesWithoutWarning<threadpool::MonoQueuePool>);
  EXPECT_TRUE(kDeletesWithoutWarning<threadpool::WorkerPool>);
  EXPECT_TRUE(kDeletesWithoutWarning<threadpool::CondVarWorkerPool>);
  EXPECT_TRUE(kDeletesWithoutWarning<threadpool::BackoffWorkerPool>);
}

TEST(MonoQueuePoolTest, ThePoolStartsWithTheFirstTask) {
  Tally tally(1);
  threadpool::MonoQueuePool pool("pool", 32, 2);
  EXPECT_FALSE(pool.IsRunning());
  pool.SubmitTask(tally.Task(0));
  EXPECT_TRUE(pool.IsRunning());
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TEST(MonoQueuePoolTest, ATaskRestartsThePoolAfterAShutdown) {
  Tally tally(20);
  threadpool::MonoQueuePool pool("pool", 32, 2);
  for (std::size_t i = 0; i != 20; ++i) {
    pool.SubmitTask(tally.Task(i));
    pool.Shutdown();
    EXPECT_FALSE(pool.IsRunning());
    ASSERT_EQ(tally.RanExactlyOnce(), i + 1);
  }
}

TEST(MonoQueuePoolTest, SubmitTaskCopiesAndLeavesTheTaskAsItIs) {
  Tally tally(1);
  threadpool::MonoQueuePool pool("pool", 32, 2);
  const auto task = tally.Task(0);
  pool.SubmitTask(task);
  pool.SubmitTask(task);
  pool.Shutdown();
  task();
  EXPECT_EQ(tally.Runs(), 3u);
}

TEST(MonoQueuePoolTest, SizesOfZeroAndEmptyTasksAreInvalid) {
  using Pool = threadpool::MonoQueuePool;
  EXPECT_THROW(Pool("pool", 0, 2), std::invalid_argument);
  EXPECT_THROW(Pool("pool", 32, 0), std::invalid_argument);
  Pool pool("pool", 32, 2);
  EXPECT_THROW(pool.SubmitTask(std::function<void()>()), std::invalid_argument);
  EXPECT_FALSE(pool.IsRunning()) << "an error starts nothing";
}

TEST(MonoQueuePoolTest, ATaskMaySubmitTasks) {
  std::atomic<int> runs{0};
  threadpool::MonoQueuePool pool("pool", 1, 2);
  std::function<void()> task = [&] {
    if (++runs < 200) pool.SubmitTask(task);
  };
  pool.SubmitTask(task);
  pool.Shutdown();
  EXPECT_EQ(runs, 200);
}

// No SubmitTask is ever refused, so each task runs, in whichever session.
TEST(MonoQueuePoolTest, SubmitTaskAgainstShutdownRunsEveryTaskExactlyOnce) {
  constexpr std::size_t kThreads = 3, kEach = 400;
  Tally tally(kThreads * kEach);
  threadpool::MonoQueuePool pool("pool", 8, 2);
  std::atomic<std::size_t> submitting{kThreads};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t != kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i != kEach; ++i) {
          pool.SubmitTask(tally.Task(t * kEach + i));
        }
        --submitting;
      });
    }
    for (int i = 0; i != 2; ++i) {
      threads.emplace_back([&] {
        while (submitting != 0) pool.Shutdown();
      });
    }
  }
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), kThreads * kEach);
}

}  // namespace
}  // namespace workerpool_test
