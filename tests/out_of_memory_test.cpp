// The k-th allocation fails, for every k until nothing fails any more: a task
// is submitted, held and taken out once, or the call did nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "failing_allocations.h"
#include "held_worker.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

template <class Strategy>
class OutOfMemoryTest : public ::testing::Test {};

TYPED_TEST_SUITE(OutOfMemoryTest, Strategies, StrategyNames);

// A task that owns something, small or large.
template <std::size_t kPadding>
struct OwningTask {
  explicit OwningTask(int& runs)
      : owned(std::make_unique<int>(1)), runs(&runs) {}
  void operator()() { *runs += *owned; }

  std::unique_ptr<int> owned;
  int* runs;
  std::array<char, kPadding> padding{};
};

// The ring is full, or has room for the empty slots that failures leave; the
// worker is busy meanwhile. Returns how many allocations can fail.
template <class Pool, class Task>
int SubmitUntilAccepted(bool ring_is_full) {
  int runs = 0, extra_runs = 0, k = 0;
  Pool pool({.name = "pool", .workers = 1, .queue_capacity = 4});
  pool.Startup();
  HeldWorker held(pool);
  for (int i = 0; ring_is_full && i != 5; ++i)
    pool.Submit([&] { ++extra_runs; });
  Task task(runs);
  while (!SucceedsWithFailure(k, [&] { pool.Submit(std::move(task)); })) {
    EXPECT_NE(task.owned, nullptr) << "a failed Submit must not take it";
    ++k;
  }
  EXPECT_EQ(task.owned, nullptr);
  held.Release();
  pool.WaitIdle();  // failed ones are not pending
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(extra_runs, ring_is_full ? 5 : 0);
  return k;
}

TYPED_TEST(OutOfMemoryTest, ASubmitThatFailsHasTakenNothing) {
  using Pool = PoolOf<TypeParam>;
  EXPECT_EQ((SubmitUntilAccepted<Pool, OwningTask<1>>(false)), 0);
  EXPECT_EQ((SubmitUntilAccepted<Pool, OwningTask<100>>(false)), 1);
  EXPECT_EQ((SubmitUntilAccepted<Pool, OwningTask<1>>(true)), 1);
  EXPECT_EQ((SubmitUntilAccepted<Pool, OwningTask<100>>(true)), 2);
}

TYPED_TEST(OutOfMemoryTest, AnLvalueSubmitThatFailsKeepsNoCopy) {
  Tally tally(1);
  const auto capture = std::make_shared<int>(0);
  const auto task = [&tally, capture, padding = std::array<char, 99>()] {
    tally.Count(static_cast<std::size_t>(padding[0]));
  };
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  int k = 0;
  while (!SucceedsWithFailure(k, [&] { pool.Submit(task); })) {
    EXPECT_EQ(capture.use_count(), 2);
    ++k;
  }
  EXPECT_GE(k, 1);
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

// The failed Submit may be the last thing that a drain waits for.
TYPED_TEST(OutOfMemoryTest, ShutdownReturnsAfterASubmitThatFails) {
  int runs = 0;
  for (int round = 0; round != 20; ++round) {
    PoolOf<TypeParam> pool("pool", 2);
    pool.Startup();
    OwningTask<100> task(runs);
    EXPECT_FALSE(SucceedsWithFailure(0, [&] { pool.Submit(std::move(task)); }));
    pool.Shutdown();
    EXPECT_EQ(runs, 0);
  }
}

TYPED_TEST(OutOfMemoryTest, AStartupThatFailsHasRunNoneOfTheHeldTasks) {
  Tally tally(10);
  workerpool::TaskQueue queue(2);  // most overflow, each by an allocation
  PoolOf<TypeParam> pool("pool", 3, queue);
  for (std::size_t i = 0; i != 10; ++i) queue.Enqueue(tally.Task(i));
  int k = 0;
  while (!SucceedsWithFailure(k, [&] { pool.Startup(); })) {
    EXPECT_FALSE(pool.IsRunning());
    EXPECT_EQ(tally.Runs(), 0u);
    EXPECT_FALSE(queue.IsEmpty());
    ++k;
  }
  EXPECT_GE(k, 8);
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 10u);
}

// With one worker, which shows the order.
TYPED_TEST(OutOfMemoryTest, HeldTasksRunInTheirOrderAfterFailedStartups) {
  std::vector<int> order;
  order.reserve(20);
  workerpool::TaskQueue queue(2);
  PoolOf<TypeParam> pool("pool", 1, queue);
  for (int i = 0; i != 10; ++i) {
    queue.Enqueue([&order, i] { order.push_back(i); });
  }
  int k = 0;
  while (!SucceedsWithFailure(k, [&] { pool.Startup(); })) ++k;
  pool.Shutdown();
  EXPECT_GE(k, 8);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TYPED_TEST(OutOfMemoryTest, AnEnqueueThatFailsHasTakenNothing) {
  for (const bool running : {false, true}) {
    Tally tally(1);
    std::size_t blocked = 0;
    workerpool::TaskQueue queue(2);
    PoolOf<TypeParam> pool("pool", 1, queue);
    std::optional<HeldWorker> held;
    if (running) {
      pool.Startup();
      held.emplace(pool);
      for (int i = 0; i != 3; ++i) {  // more than the ring has room for
        queue.Enqueue([&] { ++blocked; });
      }
    }
    int k = 0;
    const std::function<void()> task = tally.Task(0);
    while (!SucceedsWithFailure(k, [&] { queue.Enqueue(task); })) ++k;
    EXPECT_GE(k, 1);
    held.reset();
    pool.Startup();
    pool.Shutdown();
    EXPECT_EQ(tally.RanExactlyOnce(), 1u);
    EXPECT_EQ(blocked, running ? 3u : 0u);
  }
}

// A task that was submitted to the pool becomes a std::function on the way
// out; if that fails, it is still the pool's.
TYPED_TEST(OutOfMemoryTest, ADequeueThatFailsLosesNoTask) {
  Tally tally(2);
  workerpool::TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 1, queue);
  pool.Startup();
  HeldWorker held(pool, tally.Task(0));
  pool.Submit(tally.Task(1));
  std::function<void()> taken;
  int k = 0;
  bool got = false;
  while (!SucceedsWithFailure(k, [&] { got = queue.Dequeue(taken); })) ++k;
  EXPECT_GE(k, 1);
  EXPECT_TRUE(got);
  if (taken) taken();
  held.Release();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 2u);
}

TYPED_TEST(OutOfMemoryTest, ADequeueThatFailsLosesNoHeldTask) {
  Tally tally(2);
  workerpool::TaskQueue queue(8);
  for (std::size_t i = 0; i != 2; ++i) queue.Enqueue(tally.Task(i));
  std::function<void()> taken;
  int k = 0;
  while (!SucceedsWithFailure(k, [&] { ASSERT_TRUE(queue.Dequeue(taken)); })) {
    EXPECT_FALSE(taken);
    ++k;
  }
  EXPECT_GE(k, 1);
  taken();
  ExpectAllocatesNothing([&] { EXPECT_FALSE(queue.IsEmpty()); });
  PoolOf<TypeParam> pool("pool", 1, queue);
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 2u);
}

TYPED_TEST(OutOfMemoryTest, AConstructorThatFailsLeavesTheQueueFree) {
  Tally tally(1);
  workerpool::TaskQueue queue(8);
  std::unique_ptr<PoolOf<TypeParam>> pool;
  int k = 0;
  while (!SucceedsWithFailure(k, [&] {
    pool = std::make_unique<PoolOf<TypeParam>>(
        "a-name-that-does-not-fit-into-a-short-string", 2, queue);
  })) {
    ++k;
  }
  EXPECT_GE(k, 3);
  pool->Startup();
  queue.Enqueue(tally.Task(0));
  pool->Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

// There is no such memory here; the check is all that it gets through.
TEST(OutOfMemoryTaskRingTest, TheLargestCapacityIsAskedFor) {
  using Ring = workerpool::TaskRing<workerpool::StdPlatform>;
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  EXPECT_THROW(Ring ring(kLargest), std::bad_alloc);
  EXPECT_THROW(Ring ring(kLargest + 1), std::invalid_argument);
}

}  // namespace
}  // namespace workerpool_test
