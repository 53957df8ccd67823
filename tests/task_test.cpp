// Task owns one callable of any shape, and destroys it exactly once.
#include "pool/task.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace workerpool_test {
namespace {

using workerpool::IsEmptyCallable;
using workerpool::Task;

static_assert(!std::is_copy_constructible_v<Task>);
static_assert(std::is_nothrow_move_constructible_v<Task>);
static_assert(std::is_nothrow_move_assignable_v<Task>);
static_assert(!std::is_constructible_v<Task, int>);
static_assert(!std::is_constructible_v<Task, void (*)(int)>);
static_assert(!std::is_convertible_v<void (*)(), Task>, "explicit");

// Counts its objects, its runs, and its allocations.
template <std::size_t kBytes, bool kNothrowMove = true,
          std::size_t kAlignment = alignof(void*)>
struct alignas(kAlignment) Counted {
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  Counted(Counted&&) noexcept(kNothrowMove) { ++alive; }
  ~Counted() { --alive; }
  void operator()() {
    aligned = reinterpret_cast<std::uintptr_t>(this) % kAlignment == 0;
    ++runs;
  }
  static void* operator new(std::size_t size) {
    ++allocations;
    return ::operator new(size, std::align_val_t(kAlignment));
  }
  static void* operator new(std::size_t, void* place) { return place; }
  static void operator delete(void* memory) {
    ::operator delete(memory, std::align_val_t(kAlignment));
  }
  static void Reset() { alive = runs = allocations = 0; }

  static inline int alive = 0, runs = 0, allocations = 0;
  static inline bool aligned = false;
  std::array<char, kBytes> bytes{};
};

// Takes a callable through all that a task goes through in a pool.
template <class Callable>
void ExpectLivesOnceWith(int allocations) {
  Callable::Reset();
  {
    const Callable original;
    Task first(original);
    EXPECT_EQ(Callable::alive, 2);
    Task second(std::move(first));
    EXPECT_FALSE(static_cast<bool>(first));
    EXPECT_TRUE(static_cast<bool>(second));
    EXPECT_EQ(Callable::alive, 2);
    second();
    EXPECT_TRUE(Callable::aligned);
    EXPECT_EQ(Callable::alive, 2) << "alive until it is reset";
    Task third;
    third = std::move(second);
    third();
    third.Reset();
    EXPECT_FALSE(static_cast<bool>(third));
    EXPECT_EQ(Callable::alive, 1);
    third.Reset();
    Task fourth{Callable()};
    EXPECT_EQ(Callable::alive, 2);
  }
  EXPECT_EQ(Callable::alive, 0);
  EXPECT_EQ(Callable::runs, 2);
  EXPECT_EQ(Callable::allocations, allocations);
}

TEST(TaskTest, SmallCallablesLiveInsideTheTask) {
  ExpectLivesOnceWith<Counted<1>>(0);
  ExpectLivesOnceWith<Counted<Task::kInlineBytes>>(0);
}

TEST(TaskTest, LargeCallablesLiveOnTheHeap) {
  ExpectLivesOnceWith<Counted<Task::kInlineBytes + 1>>(2);
  ExpectLivesOnceWith<Counted<1000>>(2);
}

// Else a move of the task could fail.
TEST(TaskTest, CallablesWhoseMoveMayThrowLiveOnTheHeap) {
  ExpectLivesOnceWith<Counted<1, /*kNothrowMove=*/false>>(2);
}

TEST(TaskTest, OverAlignedCallablesLiveAlignedOnTheHeap) {
  ExpectLivesOnceWith<Counted<16, true, 32>>(2);
  ExpectLivesOnceWith<Counted<64, true, 128>>(2);
}

TEST(TaskTest, AnAssignmentDestroysWhatTheTaskHeld) {
  using Callable = Counted<1>;
  Callable::Reset();
  Task task{Callable()};
  task = Task([] {});
  EXPECT_EQ(Callable::alive, 0);
  EXPECT_TRUE(static_cast<bool>(task));
}

TEST(TaskTest, AssigningFromItselfKeepsTheCallable) {
  using Callable = Counted<1>;
  Callable::Reset();
  Task task{Callable()};
  Task& same = task;
  task = std::move(same);
  ASSERT_TRUE(static_cast<bool>(task));
  task();
  EXPECT_EQ(Callable::runs, 1);
  EXPECT_EQ(Callable::alive, 1);
}

TEST(TaskTest, AnEmptyTaskMovesAsAnEmptyTask) {
  Task from;
  Task to([] {});
  to = std::move(from);
  EXPECT_FALSE(static_cast<bool>(to));
  const Task constructed(std::move(to));
  EXPECT_FALSE(static_cast<bool>(constructed));
}

TEST(TaskTest, ATaskRunsAsOftenAsItIsCalledWithItsOwnState) {
  int seen = 0;
  Task task([count = 0, &seen]() mutable { seen = ++count; });
  task();
  task();
  EXPECT_EQ(seen, 2);
}

TEST(TaskTest, MoveOnlyCallablesArriveWhole) {
  int seen = 0;
  Task task([&seen, owned = std::make_unique<int>(5)] { seen = *owned; });
  Task moved(std::move(task));
  moved();
  EXPECT_EQ(seen, 5);
}

struct ThrowsWhenCopied {
  ThrowsWhenCopied() = default;
  ThrowsWhenCopied(const ThrowsWhenCopied&) { throw std::runtime_error("no"); }
  void operator()() {}
  std::shared_ptr<int> owned = std::make_shared<int>(1);
};

TEST(TaskTest, ACallableThatCannotBeCopiedStaysAsItWas) {
  const ThrowsWhenCopied callable;
  EXPECT_THROW(Task{callable}, std::runtime_error);
  EXPECT_EQ(callable.owned.use_count(), 1);
}

TEST(TaskTest, ACallableIsEmptyOnlyIfItCannotBeCalled) {
  EXPECT_TRUE(IsEmptyCallable(std::function<void()>()));
  EXPECT_TRUE(IsEmptyCallable(static_cast<void (*)()>(nullptr)));
  EXPECT_FALSE(IsEmptyCallable(std::function<void()>([] {})));
  EXPECT_FALSE(IsEmptyCallable(+[] {}));
  EXPECT_FALSE(IsEmptyCallable([] {}));
  EXPECT_FALSE(IsEmptyCallable([x = 1] { (void)x; }));
}

}  // namespace
}  // namespace workerpool_test
