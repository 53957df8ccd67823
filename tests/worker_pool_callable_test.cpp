// Callables of every shape travel whole, and their captures die on a worker
// before the task counts as done.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "errors.h"
#include "gate.h"
#include "pool/mono_queue_pool.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

// A callable of a given size that checks that every byte arrived.
template <std::size_t kBytes, std::size_t kAlignment = 1>
struct alignas(kAlignment) Sized {
  std::array<unsigned char, kBytes> bytes{};

  Sized() {
    for (std::size_t i = 0; i != kBytes; ++i) {
      bytes[i] = static_cast<unsigned char>(i * 7 + 1);
    }
  }
  void operator()() const {
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(this) % kAlignment == 0;
    if (aligned && bytes == Sized().bytes) ++intact;
  }
  static inline std::atomic<int> intact{0};
};

// More tasks than the ring has room for, so that both ways through the queue
// are taken.
template <class Pool, class Callable>
void ExpectArrivesIntact() {
  Callable::intact = 0;
  Pool pool({.name = "pool", .workers = 2, .queue_capacity = 4});
  pool.Startup();
  const Callable lvalue;
  for (int i = 0; i != 50; ++i) {
    pool.Submit(lvalue);
    pool.Submit(Callable());
  }
  pool.Shutdown();
  EXPECT_EQ(Callable::intact, 100);
}

TYPED_TEST(WorkerPoolTest, CallablesOfEverySizeArriveIntact) {
  using Pool = PoolOf<TypeParam>;
  ExpectArrivesIntact<Pool, Sized<1>>();
  ExpectArrivesIntact<Pool, Sized<48>>();
  ExpectArrivesIntact<Pool, Sized<49>>();
  ExpectArrivesIntact<Pool, Sized<200>>();
}

TYPED_TEST(WorkerPoolTest, OverAlignedCallablesArriveAligned) {
  using Pool = PoolOf<TypeParam>;
  ExpectArrivesIntact<Pool, Sized<16, 32>>();
  ExpectArrivesIntact<Pool, Sized<64, 64>>();
  ExpectArrivesIntact<Pool, Sized<128, 128>>();
}

TYPED_TEST(WorkerPoolTest, MoveOnlyCallablesRun) {
  int small = 0, large = 0;
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  pool.Submit([&small, owned = std::make_unique<int>(3)] { small = *owned; });
  pool.Submit(
      [&large, owned = std::make_unique<int>(4),
       padding = std::array<char, 100>{}] { large = *owned + padding[0]; });
  pool.Shutdown();
  EXPECT_EQ(small, 3);
  EXPECT_EQ(large, 4);
}

std::atomic<int> function_runs{0};
void Function() { ++function_runs; }

TYPED_TEST(WorkerPoolTest, FunctionsAndFunctionObjectsRun) {
  function_runs = 0;
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  pool.Submit(Function);
  pool.Submit(&Function);
  pool.Submit(std::function<void()>(Function));
  pool.Submit(std::bind(Function));
  pool.Submit([] { Function(); });  // converts to a pointer, is not empty
  pool.Submit([]() -> int {
    Function();
    return 1;  // ignored
  });
  pool.Shutdown();
  EXPECT_EQ(function_runs, 6);
}

TYPED_TEST(WorkerPoolTest, AMutableCallableKeepsItsOwnState) {
  int seen = 0;
  auto task = [count = 0, &seen]() mutable { seen += ++count; };
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  pool.Submit(task);  // two copies: neither sees the other's count
  pool.Submit(task);
  pool.Shutdown();
  EXPECT_EQ(seen, 2);
}

// Throws when it is copied, or moved, for the n-th time.
struct Throwing {
  explicit Throwing(int& runs) : runs_(&runs) {}
  Throwing(const Throwing& other) : runs_(other.runs_) {
    MayThrow(copies_left);
  }
  Throwing(Throwing&& other) noexcept(false) : runs_(other.runs_) {
    MayThrow(moves_left);
  }
  void operator()() { ++*runs_; }

  static void MayThrow(int& left) {
    if (left-- == 0) throw std::runtime_error("no");
  }
  static inline int copies_left = 0, moves_left = 0;
  int* runs_;
};

// Submits a callable whose copy or move number `copies`, `moves` throws, and
// returns whether it was accepted.
template <class Pool>
bool SubmitThrowing(Pool& pool, int& runs, int copies, int moves,
                    bool as_rvalue) {
  Throwing task(runs);
  Throwing::copies_left = copies;
  Throwing::moves_left = moves;
  try {
    as_rvalue ? pool.Submit(std::move(task)) : pool.Submit(task);
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

TYPED_TEST(WorkerPoolTest, ASubmitWhoseCopyOrMoveThrowsHasAcceptedNothing) {
  for (const std::size_t capacity : {1024u, 1u}) {
    int runs = 0, accepted = 0;
    PoolOf<TypeParam> pool(
        {.name = "pool", .workers = 1, .queue_capacity = capacity});
    pool.Startup();
    for (int i = 0; i != 50; ++i) {
      EXPECT_FALSE(SubmitThrowing(pool, runs, 0, 9, /*as_rvalue=*/false));
      EXPECT_FALSE(SubmitThrowing(pool, runs, 9, 0, /*as_rvalue=*/false));
      EXPECT_FALSE(SubmitThrowing(pool, runs, 9, 0, /*as_rvalue=*/true));
      accepted += SubmitThrowing(pool, runs, 9, 9, i % 2 == 0);
    }
    pool.WaitIdle();
    EXPECT_EQ(accepted, 50);
    EXPECT_EQ(runs, 50);
  }
}

// The original's interface copies its tasks, too.
TYPED_TEST(WorkerPoolTest, ASubmitTaskWhoseCopyOrMoveThrowsHasAcceptedNothing) {
  for (const bool running : {false, true}) {
    int runs = 0;
    workerpool::BasicMonoQueuePool<PoolOf<TypeParam>> pool("pool", 1, 1);
    if (running) pool.Startup();
    const Throwing task(runs);
    for (const auto& [copies, moves] : {std::pair(0, 9), std::pair(9, 0)}) {
      Throwing::copies_left = copies;
      Throwing::moves_left = moves;
      EXPECT_THROW(pool.SubmitTask(task), std::runtime_error);
    }
    Throwing::copies_left = Throwing::moves_left = 9;
    pool.SubmitTask(task);
    pool.Shutdown();
    EXPECT_EQ(runs, 1);
  }
}

TYPED_TEST(WorkerPoolTest, AnEnqueueWhoseCopyThrowsHasTakenNothing) {
  for (const bool running : {false, true}) {
    int runs = 0;
    workerpool::TaskQueue queue(1);
    PoolOf<TypeParam> pool("pool", 1, queue);
    if (running) pool.Startup();
    Throwing::copies_left = Throwing::moves_left = 9;
    const std::function<void()> task = Throwing(runs);
    Throwing::copies_left = 0;
    EXPECT_THROW(queue.Enqueue(task), std::runtime_error);
    EXPECT_TRUE(queue.IsEmpty());
    Throwing::copies_left = 9;
    queue.Enqueue(task);
    pool.Startup();
    pool.Shutdown();
    EXPECT_EQ(runs, 1);
  }
}

// Nothing but the failed submit happens here: the drain must not wait for it.
TYPED_TEST(WorkerPoolTest, ShutdownReturnsAfterASubmitThatThrew) {
  int runs = 0;
  for (int round = 0; round != 50; ++round) {
    PoolOf<TypeParam> pool("pool", 2);
    pool.Startup();
    EXPECT_FALSE(SubmitThrowing(pool, runs, 9, 0, /*as_rvalue=*/true));
    pool.WaitIdle();
    pool.Shutdown();
  }
  EXPECT_EQ(runs, 0);
}

// Reports its destruction, as a capture does.
struct Capture {
  std::function<void()> on_destruction;
  explicit Capture(std::function<void()> f) : on_destruction(std::move(f)) {}
  Capture(Capture&& other) noexcept
      : on_destruction(std::exchange(other.on_destruction, nullptr)) {}
  ~Capture() {
    if (on_destruction) on_destruction();
  }
};

TYPED_TEST(WorkerPoolTest, CapturesDieOnAWorkerBeforeTheTaskIsDone) {
  std::size_t runs = 0, deaths = 0;  // plain: the pool orders all accesses
  bool elsewhere = false;
  const auto here = std::this_thread::get_id();
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  for (std::size_t i = 0; i != 500; ++i) {
    Capture capture([&] {
      ++deaths;
      elsewhere |= std::this_thread::get_id() == here;
    });
    pool.Submit([&runs, capture = std::move(capture)] { ++runs; });
    pool.WaitIdle();
    ASSERT_EQ(deaths, i + 1);
  }
  EXPECT_FALSE(elsewhere);
  EXPECT_EQ(runs, 500u);
}

// A slow destructor makes a completion that comes too early visible.
TYPED_TEST(WorkerPoolTest, WaitIdleAndShutdownWaitForTheDeathOfCaptures) {
  int deaths = 0, runs = 0;
  const auto slowly = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++deaths;
  };
  for (int round = 0; round != 10; ++round) {
    PoolOf<TypeParam> pool("pool", 1);
    pool.Startup();
    pool.Submit([&runs, capture = Capture(slowly)] { ++runs; });
    pool.WaitIdle();
    ASSERT_EQ(deaths, 2 * round + 1);
    pool.Submit([&runs, capture = Capture(slowly)] { ++runs; });
    pool.Shutdown();
    ASSERT_EQ(deaths, 2 * round + 2);
  }
  EXPECT_EQ(runs, 20);
}

TYPED_TEST(WorkerPoolTest, TheDestructorOfACaptureMaySubmit) {
  for (const std::size_t capacity : {1024u, 1u}) {
    Tally tally(200);
    PoolOf<TypeParam> pool(
        {.name = "pool", .workers = 2, .queue_capacity = capacity});
    pool.Startup();
    for (std::size_t i = 0; i != 100; ++i) {
      pool.Submit([&tally, i, capture = Capture([&pool, &tally, i] {
                                pool.Submit(tally.Task(100 + i));
                              })] { tally.Count(i); });
    }
    pool.Shutdown();  // some captures die during the drain
    EXPECT_EQ(tally.RanExactlyOnce(), 200u);
  }
}

// On a worker such a call is an error wherever it is made, and a destructor
// has to catch it. Also during the drain, and on either way through the queue.
TYPED_TEST(WorkerPoolTest, TheDestructorOfACaptureCannotWaitForThePool) {
  for (const std::size_t capacity : {1024u, 1u}) {
    std::atomic<int> refused{0}, runs{0};
    PoolOf<TypeParam> pool(
        {.name = "pool", .workers = 2, .queue_capacity = capacity});
    const auto wait = [&] {
      refused += SystemErrorOf([&] { pool.WaitIdle(); }) == kWouldDeadlock;
      refused += SystemErrorOf([&] { pool.Shutdown(); }) == kWouldDeadlock;
    };
    pool.Startup();
    for (int i = 0; i != 100; ++i) {
      pool.Submit([&runs, capture = Capture(wait)] { ++runs; });
    }
    pool.Shutdown();
    EXPECT_EQ(runs, 100);
    EXPECT_EQ(refused, 200);
  }
}

// The task has thrown already; its captures die all the same, and may submit.
TYPED_TEST(WorkerPoolTest, TheCapturesOfATaskThatThrowsMaySubmit) {
  Tally tally(40);
  workerpool::WorkerPoolOptions options;
  options.workers = 2;
  options.on_exception = [](std::exception_ptr) {};
  PoolOf<TypeParam> pool(options);
  pool.Startup();
  for (std::size_t i = 0; i != 20; ++i) {
    pool.Submit([&tally, i, capture = Capture([&pool, &tally, i] {
                              pool.Submit(tally.Task(20 + i));
                            })] {
      tally.Count(i);
      throw std::runtime_error("no");
    });
  }
  pool.Shutdown();
  EXPECT_EQ(pool.TaskExceptions(), 20u);
  EXPECT_EQ(tally.RanExactlyOnce(), 40u);
}

TYPED_TEST(WorkerPoolTest, TheCapturesOfARefusedTaskStayWithTheCaller) {
  int deaths = 0, runs = 0;
  PoolOf<TypeParam> pool("pool", 1);
  {
    auto task = [&runs, capture = Capture([&] { ++deaths; })] { ++runs; };
    EXPECT_FALSE(pool.TrySubmit(std::move(task)));
    EXPECT_EQ(deaths, 0);
  }
  EXPECT_EQ(deaths, 1);
  EXPECT_EQ(runs, 0);
}

// Plain integers on both sides: ThreadSanitizer reports a missing edge.
TYPED_TEST(WorkerPoolTest, WhatPrecedesSubmitIsSeenByTheTaskAndItsEffectAfter) {
  constexpr std::size_t kTasks = 200;
  std::array<int, kTasks> payload{}, effect{};
  PoolOf<TypeParam> pool({.name = "pool", .workers = 3, .queue_capacity = 16});
  for (int round = 1; round != 11; ++round) {
    pool.Startup();
    for (std::size_t i = 0; i != kTasks; ++i) {
      payload[i] = round;
      pool.Submit([&, i] { effect[i] += payload[i]; });
    }
    round % 2 == 0 ? pool.WaitIdle() : pool.Shutdown();
    for (const int sum : effect) ASSERT_EQ(sum, round * (round + 1) / 2);
  }
}

TYPED_TEST(WorkerPoolTest, ATaskSeesWhatItsParentWrote) {
  int steps = 0;
  PoolOf<TypeParam> pool("pool", 3);
  pool.Startup();
  std::function<void()> step = [&] {
    if (++steps != 500) pool.Submit(step);
  };
  pool.Submit(step);
  pool.WaitIdle();
  EXPECT_EQ(steps, 500);
}

// Moving a callable is user code, also out of the overflow list: it may submit.
template <class Pool>
struct SubmitsWhenMoved {
  SubmitsWhenMoved(Pool& which, Tally& count, std::atomic<bool>& when)
      : pool(&which), tally(&count), armed(&when) {}
  SubmitsWhenMoved(SubmitsWhenMoved&& other) noexcept
      : pool(other.pool), tally(other.tally), armed(other.armed) {
    if (!armed->exchange(false)) return;
    for (std::size_t i = 0; i != 3; ++i) pool->Submit(tally->Task(i));
  }
  void operator()() const { tally->Count(3); }

  Pool* pool;
  Tally* tally;
  std::atomic<bool>* armed;
};

TYPED_TEST(WorkerPoolTest, MovingATaskOutOfTheOverflowMaySubmit) {
  using Pool = PoolOf<TypeParam>;
  Gate gate;
  Tally tally(4);
  std::atomic<bool> armed{false};
  workerpool::WorkerPoolOptions options;
  options.workers = 1;
  options.queue_capacity = 2;
  Pool pool(options);
  pool.Startup();
  pool.Submit([&] { gate.Pass(); });
  gate.AwaitArrivals(1);
  for (int i = 0; i != 3; ++i) pool.Submit([] {});  // the ring is full
  pool.Submit(SubmitsWhenMoved<Pool>(pool, tally, armed));
  armed = true;
  gate.Open();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 4u);
}

}  // namespace
}  // namespace workerpool_test
