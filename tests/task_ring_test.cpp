// The queue's contract: each element comes out once (C1), nothing is hidden
// from the decision to sleep (C2), a failed Pop is soon over (C3); and each
// submitter's elements keep their order.
#include "pool/task_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "gate.h"
#include "odd_platforms.h"
#include "pool/std_platform.h"
#include "tally.h"

namespace workerpool_test {
namespace {

using workerpool::StdPlatform;
using workerpool::Task;
using Ring = workerpool::TaskRing<StdPlatform>;

// Elements are tasks that write their number here when they run.
class Numbers {
 public:
  auto Task(int number) {
    return [this, number] { last_ = number; };
  }

  // The number of the next element; -1 if Pop fails.
  template <class AnyRing>
  int PopFrom(AnyRing& ring) {
    workerpool::Task task;
    if (!ring.Pop(task)) return -1;
    EXPECT_TRUE(static_cast<bool>(task));
    task();
    return std::exchange(last_, -1);
  }

 private:
  int last_ = -1;
};

TEST(TaskRingTest, ANewRingIsEmpty) {
  Ring ring(4);
  Task task;
  EXPECT_TRUE(ring.LooksEmpty());
  EXPECT_FALSE(ring.Pop(task));
  EXPECT_FALSE(static_cast<bool>(task));
}

// It loads the overflow's size, the tail, the turn of the slot.
TEST(TaskRingTest, ASubmitterThatAnotherOvertakesTakesTheNextSlot) {
  for (const int load : {1, 2, 3}) {
    workerpool::TaskRing<AfterLoadPlatform> ring(4);
    Numbers numbers;
    AfterLoadPlatform::AfterLoad(load, [&] { ring.Push(numbers.Task(1)); });
    ring.Push(numbers.Task(2));
    EXPECT_EQ(numbers.PopFrom(ring), 1);
    EXPECT_EQ(numbers.PopFrom(ring), 2);
    EXPECT_TRUE(ring.LooksEmpty());
  }
}

// It loads the head, and the turn of the slot.
TEST(TaskRingTest, AWorkerThatAnotherOvertakesTakesTheNextElement) {
  for (const int load : {1, 2}) {
    workerpool::TaskRing<AfterLoadPlatform> ring(4);
    Numbers numbers;
    ring.Push(numbers.Task(1));
    ring.Push(numbers.Task(2));
    int first = 0;
    AfterLoadPlatform::AfterLoad(load, [&] { first = numbers.PopFrom(ring); });
    EXPECT_EQ(numbers.PopFrom(ring), 2);
    EXPECT_EQ(first, 1);
    EXPECT_TRUE(ring.LooksEmpty());
  }
}

TEST(TaskRingTest, ElementsComeOutOnceAndInTheirOrder) {
  for (const std::size_t capacity : {1u, 2u, 3u, 4u, 5u, 8u, 100u}) {
    Ring ring(capacity);
    Numbers numbers;
    for (int i = 0; i != 50; ++i) ring.Push(numbers.Task(i));
    for (int i = 0; i != 50; ++i) {
      EXPECT_FALSE(ring.LooksEmpty());
      ASSERT_EQ(numbers.PopFrom(ring), i) << "capacity " << capacity;
    }
    EXPECT_EQ(numbers.PopFrom(ring), -1);
    EXPECT_TRUE(ring.LooksEmpty());
  }
}

// The fill goes up and down between empty and twice the capacity, for so long
// that every slot sees many laps from both sides of full.
TEST(TaskRingTest, OrderHoldsOverManyLapsAndOverflows) {
  for (const std::size_t capacity : {1u, 2u, 4u, 7u}) {
    Ring ring(capacity);
    Numbers numbers;
    int pushed = 0, popped = 0;
    for (std::size_t round = 0; round != 2000; ++round) {
      const std::size_t count = round % (2 * capacity + 1);
      for (std::size_t i = 0; i != count; ++i)
        ring.Push(numbers.Task(pushed++));
      const std::size_t keep = round % 3;
      while (static_cast<std::size_t>(pushed - popped) > keep) {
        ASSERT_EQ(numbers.PopFrom(ring), popped++);
      }
    }
    while (popped != pushed) ASSERT_EQ(numbers.PopFrom(ring), popped++);
    EXPECT_TRUE(ring.LooksEmpty());
  }
}

// The ring has room again, but what overflowed goes first.
TEST(TaskRingTest, ATaskDoesNotOvertakeTheOverflow) {
  Ring ring(2);
  Numbers numbers;
  for (int i = 0; i != 3; ++i) ring.Push(numbers.Task(i));
  EXPECT_EQ(numbers.PopFrom(ring), 0);
  EXPECT_EQ(numbers.PopFrom(ring), 1);
  ring.Push(numbers.Task(3));
  EXPECT_FALSE(ring.LooksEmpty());
  EXPECT_EQ(numbers.PopFrom(ring), 2);
  EXPECT_EQ(numbers.PopFrom(ring), 3);
  EXPECT_TRUE(ring.LooksEmpty());
}

TEST(TaskRingTest, CapacitiesOutOfRangeAreInvalid) {
  EXPECT_THROW(Ring(0), std::invalid_argument);
  EXPECT_THROW(Ring((std::size_t{1} << 30) + 1), std::invalid_argument);
}

// The overflow list has a mutex, so its use can be counted.
struct CountingPlatform : StdPlatform {
  class Mutex {
   public:
    void lock() {
      mutex_.lock();
      ++locks;
    }
    void unlock() { mutex_.unlock(); }
    static inline int locks = 0;

   private:
    std::mutex mutex_;
  };
  using Lock = std::unique_lock<Mutex>;
  using CondVar = std::condition_variable_any;
};

TEST(TaskRingTest, TheCapacityIsRoundedUpToAPowerOfTwo) {
  constexpr std::array<std::pair<std::size_t, int>, 6> kRooms = {
      {{1, 2}, {2, 2}, {3, 4}, {4, 4}, {5, 8}, {1000, 1024}}};
  for (const auto& [capacity, room] : kRooms) {
    workerpool::TaskRing<CountingPlatform> ring(capacity);
    Numbers numbers;
    CountingPlatform::Mutex::locks = 0;
    for (int i = 0; i != room; ++i) ring.Push(numbers.Task(i));
    EXPECT_EQ(CountingPlatform::Mutex::locks, 0) << "capacity " << capacity;
    ring.Push(numbers.Task(room));
    EXPECT_EQ(CountingPlatform::Mutex::locks, 1) << "capacity " << capacity;
    for (int i = 0; i <= room; ++i) ASSERT_EQ(numbers.PopFrom(ring), i);
  }
}

// After its overflow is used up, a ring is lock-free again.
TEST(TaskRingTest, AnOverflowIsTemporary) {
  workerpool::TaskRing<CountingPlatform> ring(2);
  Numbers numbers;
  for (int i = 0; i != 9; ++i) ring.Push(numbers.Task(i));
  for (int i = 0; i != 9; ++i) ASSERT_EQ(numbers.PopFrom(ring), i);
  CountingPlatform::Mutex::locks = 0;
  ring.Push(numbers.Task(9));
  EXPECT_EQ(numbers.PopFrom(ring), 9);
  EXPECT_EQ(numbers.PopFrom(ring), -1);
  EXPECT_EQ(CountingPlatform::Mutex::locks, 0);
}

struct ThrowsWhenMoved {
  ThrowsWhenMoved() = default;
  ThrowsWhenMoved(ThrowsWhenMoved&&) noexcept(false) {
    throw std::runtime_error("no");
  }
  void operator()() {}
};

TEST(TaskRingTest, AnElementThatCouldNotBeBuiltIsSkipped) {
  Ring ring(4);
  Numbers numbers;
  int pushed = 0, popped = 0;
  for (int round = 0; round != 100; ++round) {
    ring.Push(numbers.Task(pushed++));
    for (int i = 0; i != round % 3; ++i) {
      EXPECT_THROW(ring.Push(ThrowsWhenMoved()), std::runtime_error);
    }
    ring.Push(numbers.Task(pushed++));
    if (round % 4 == 0) continue;  // let it fill up and overflow
    ASSERT_EQ(numbers.PopFrom(ring), popped++);
    ASSERT_EQ(numbers.PopFrom(ring), popped++);
  }
  while (popped != pushed) ASSERT_EQ(numbers.PopFrom(ring), popped++);
  EXPECT_EQ(numbers.PopFrom(ring), -1);
  EXPECT_TRUE(ring.LooksEmpty());
}

TEST(TaskRingTest, AnElementThatCouldNotBeBuiltDoesNotHideTheOverflow) {
  Ring ring(2);
  Numbers numbers;
  for (int i = 0; i != 2; ++i) {
    EXPECT_THROW(ring.Push(ThrowsWhenMoved()), std::runtime_error);
  }
  ring.Push(numbers.Task(0));  // both slots are taken, though by nothing
  EXPECT_THROW(ring.Push(ThrowsWhenMoved()), std::runtime_error);
  EXPECT_FALSE(ring.LooksEmpty());
  EXPECT_EQ(numbers.PopFrom(ring), 0);
  EXPECT_EQ(numbers.PopFrom(ring), -1);
  EXPECT_TRUE(ring.LooksEmpty());
}

// Stays inside its claimed slot until the gate opens.
struct StallsWhenMoved {
  explicit StallsWhenMoved(Gate& gate, int& runs) : gate_(gate), runs_(runs) {}
  StallsWhenMoved(StallsWhenMoved&& other) noexcept
      : gate_(other.gate_), runs_(other.runs_) {
    gate_.Pass();
  }
  void operator()() { ++runs_; }
  Gate& gate_;
  int& runs_;
};

// A thread that stands between claiming a slot and publishing it.
class StalledSubmitter {
 public:
  explicit StalledSubmitter(Ring& ring)
      : thread_([this, &ring] { ring.Push(StallsWhenMoved(gate_, runs_)); }) {
    gate_.AwaitArrivals(1);
  }
  ~StalledSubmitter() { GoOn(); }
  void GoOn() {
    gate_.Open();
    if (thread_.joinable()) thread_.join();
  }
  int Runs() const { return runs_; }

 private:
  Gate gate_;
  int runs_ = 0;
  std::thread thread_;
};

TEST(TaskRingTest, AStalledSubmitterHidesElementsFromPopButNotFromSleepers) {
  Ring ring(4);
  Numbers numbers;
  StalledSubmitter stalled(ring);
  EXPECT_FALSE(ring.LooksEmpty());
  ring.Push(numbers.Task(1));
  EXPECT_EQ(numbers.PopFrom(ring), -1);
  EXPECT_FALSE(ring.LooksEmpty());
  stalled.GoOn();
  Task first;
  ASSERT_TRUE(ring.Pop(first));
  first();
  EXPECT_EQ(stalled.Runs(), 1);
  EXPECT_EQ(numbers.PopFrom(ring), 1);
  EXPECT_TRUE(ring.LooksEmpty());
}

// Element 2 is in the overflow and could be had, but 1 is still in the ring,
// behind the stalled slot.
TEST(TaskRingTest, TheOverflowDoesNotOvertakeARingBehindAStalledSubmitter) {
  Ring ring(2);
  Numbers numbers;
  StalledSubmitter stalled(ring);
  ring.Push(numbers.Task(1));
  ring.Push(numbers.Task(2));
  EXPECT_EQ(numbers.PopFrom(ring), -1);
  EXPECT_FALSE(ring.LooksEmpty());
  stalled.GoOn();
  Task first;
  ASSERT_TRUE(ring.Pop(first));
  EXPECT_EQ(numbers.PopFrom(ring), 1);
  EXPECT_EQ(numbers.PopFrom(ring), 2);
}

TEST(TaskRingTest, ElementsLeftInARingDieWithIt) {
  const auto capture = std::make_shared<int>(0);
  {
    Ring ring(4);
    for (int i = 0; i != 10; ++i) ring.Push([capture] {});
    Task task;
    for (int i = 0; i != 2; ++i) {
      EXPECT_TRUE(ring.Pop(task));
      task.Reset();
    }
    EXPECT_EQ(capture.use_count(), 9);
  }
  EXPECT_EQ(capture.use_count(), 1);
}

// Many submitters and workers.

constexpr std::size_t kThreads = 3;
constexpr std::size_t kEach = 3000;

// What one popping thread saw: its elements of one submitter must rise.
class OrderSeen {
 public:
  void See(std::size_t submitter, std::size_t number) {
    in_order_ &= number >= next_[submitter];
    next_[submitter] = number + 1;
  }
  bool InOrder() const { return in_order_; }

 private:
  std::array<std::size_t, kThreads> next_{};
  bool in_order_ = true;
};

thread_local OrderSeen* seen_here = nullptr;

void PushAll(Ring& ring, Tally& tally, std::size_t submitter) {
  for (std::size_t i = 0; i != kEach; ++i) {
    ring.Push([&tally, submitter, i] {
      tally.Count(submitter * kEach + i);
      seen_here->See(submitter, i);
    });
  }
}

void PopUntil(Ring& ring, std::atomic<std::size_t>& left, OrderSeen& seen) {
  seen_here = &seen;
  while (left.load() != 0) {
    Task task;
    if (!ring.Pop(task)) {
      std::this_thread::yield();
      continue;
    }
    task();
    --left;
  }
}

TEST(TaskRingTest, ManyThreadsTakeEachElementOnceAndInItsSubmittersOrder) {
  for (const std::size_t capacity : {1u, 16u, 16384u}) {
    Ring ring(capacity);
    Tally tally(kThreads * kEach);
    std::atomic<std::size_t> left{kThreads * kEach};
    std::array<OrderSeen, kThreads> seen;
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t != kThreads; ++t) {
        threads.emplace_back([&, t] { PushAll(ring, tally, t); });
        threads.emplace_back([&, t] { PopUntil(ring, left, seen[t]); });
      }
    }
    EXPECT_EQ(tally.RanExactlyOnce(), kThreads * kEach);
    for (const OrderSeen& one : seen) EXPECT_TRUE(one.InOrder());
    EXPECT_TRUE(ring.LooksEmpty());
  }
}

}  // namespace
}  // namespace workerpool_test
