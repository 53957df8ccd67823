// The k-th allocation fails, for every k until nothing fails any more: each
// function either did its work or nothing. This program replaces the global
// operator new, which is why it stands alone.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "gate.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace {

// Allocations of this thread until one fails; negative: none does.
thread_local int allocations_until_failure = -1;

// Not inlined: a compiler that sees malloc and free through the operators
// takes them for mismatched.
[[gnu::noinline]] void* Allocate(std::size_t size, std::size_t alignment) {
  if (allocations_until_failure >= 0 && allocations_until_failure-- == 0) {
    throw std::bad_alloc();
  }
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

[[gnu::noinline]] void Free(void* memory) { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) {
  return Allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  Free(memory);
}

namespace workerpool_test {
namespace {

// Runs call() with its k-th allocation failing. True if it got through.
template <class Call>
bool SucceedsWithFailure(int k, Call call) {
  allocations_until_failure = k;
  try {
    call();
  } catch (const std::bad_alloc&) {
    return false;
  }
  const bool used_up = allocations_until_failure < 0;
  allocations_until_failure = -1;
  EXPECT_FALSE(used_up) << "an allocation failed and nobody was told";
  return true;
}

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

// The ring is full, or not; the worker is busy meanwhile. Returns how many
// failures it took to get through.
template <class Pool, class Task>
int SubmitUntilAccepted(bool ring_is_full) {
  Gate gate;
  int runs = 0, extra_runs = 0, k = 0;
  Pool pool({.name = "pool", .workers = 1, .queue_capacity = 2});
  pool.Startup();
  pool.Submit([&] { gate.Pass(); });
  gate.AwaitArrivals(1);
  for (int i = 0; ring_is_full && i != 3; ++i)
    pool.Submit([&] { ++extra_runs; });
  Task task(runs);
  while (!SucceedsWithFailure(k, [&] { pool.Submit(std::move(task)); })) {
    EXPECT_NE(task.owned, nullptr) << "a failed Submit must not take it";
    ++k;
  }
  EXPECT_EQ(task.owned, nullptr);
  gate.Open();
  pool.WaitIdle();  // failed ones are not pending
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(extra_runs, ring_is_full ? 3 : 0);
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
    Gate gate;
    std::size_t blocked = 0;
    workerpool::TaskQueue queue(2);
    PoolOf<TypeParam> pool("pool", 1, queue);
    if (running) {
      pool.Startup();
      for (int i = 0; i != 4; ++i) {  // one runs, the rest fills the ring
        queue.Enqueue([&] {
          gate.Pass();
          ++blocked;
        });
      }
      gate.AwaitArrivals(1);
    }
    int k = 0;
    const std::function<void()> task = tally.Task(0);
    while (!SucceedsWithFailure(k, [&] { queue.Enqueue(task); })) ++k;
    EXPECT_GE(k, 1);
    gate.Open();
    pool.Startup();
    pool.Shutdown();
    EXPECT_EQ(tally.RanExactlyOnce(), 1u);
    EXPECT_EQ(blocked, running ? 4u : 0u);
  }
}

// A task that was submitted to the pool becomes a std::function on the way
// out; if that fails, it is still the pool's.
TYPED_TEST(OutOfMemoryTest, ADequeueThatFailsLosesNoTask) {
  Gate gate;
  Tally tally(2);
  workerpool::TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 1, queue);
  pool.Startup();
  pool.Submit([&] {
    gate.Pass();
    tally.Count(0);
  });
  gate.AwaitArrivals(1);
  pool.Submit(tally.Task(1));
  std::function<void()> taken;
  int k = 0;
  bool got = false;
  while (!SucceedsWithFailure(k, [&] { got = queue.Dequeue(taken); })) ++k;
  EXPECT_GE(k, 1);
  EXPECT_TRUE(got);
  if (taken) taken();
  gate.Open();
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

}  // namespace
}  // namespace workerpool_test
