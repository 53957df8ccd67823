// The k-th allocation fails, for every k until nothing fails any more, in all
// that makes, starts, stops and asks a pool; and workers need no memory.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "errors.h"
#include "failing_allocations.h"
#include "gate.h"
#include "held_worker.h"
#include "pool/mono_queue_pool.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"
#include "threads_of_process.h"

namespace workerpool_test {
namespace {

constexpr const char* kLongName = "a-name-that-fits-into-no-short-string";

template <class Strategy>
class OutOfMemoryControlTest : public ::testing::Test {
 protected:
  using Pool = PoolOf<Strategy>;
  using MonoQueuePool = workerpool::BasicMonoQueuePool<Pool>;

  // Makes an object by make() with every allocation failing in turn: a failure
  // leaves no memory behind. Returns the object.
  template <class Object, class Make>
  static std::unique_ptr<Object> MakeAgainstFailures(Make make) {
    std::unique_ptr<Object> object;
    int k = 0;
    const auto before = live_allocations.load();
    while (!SucceedsWithFailure(k, [&] { object = make(); })) {
      EXPECT_EQ(live_allocations, before);
      ++k;
    }
    EXPECT_GE(k, 3);
    return object;
  }
};

TYPED_TEST_SUITE(OutOfMemoryControlTest, Strategies, StrategyNames);

template <class Pool>
void ExpectRunsATask(Pool& pool) {
  Tally tally(1);
  pool.Startup();
  pool.Submit(tally.Task(0));
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TYPED_TEST(OutOfMemoryControlTest, AConstructorThatFailsLeavesNothing) {
  using Pool = typename TestFixture::Pool;
  const auto handler = [padding = std::array<char, 100>()](std::exception_ptr) {
    static_cast<void>(padding);
  };
  const auto by_options = [&] {
    workerpool::WorkerPoolOptions options;
    options.name = kLongName;
    options.workers = 2;
    options.on_exception = handler;
    return std::make_unique<Pool>(options);
  };
  ExpectRunsATask(*this->template MakeAgainstFailures<Pool>(by_options));
  const auto by_name = [] { return std::make_unique<Pool>(kLongName, 2); };
  ExpectRunsATask(*this->template MakeAgainstFailures<Pool>(by_name));
}

TYPED_TEST(OutOfMemoryControlTest, AMonoQueuePoolThatFailsLeavesNothing) {
  using Pool = typename TestFixture::MonoQueuePool;
  Tally tally(1);
  const auto pool = this->template MakeAgainstFailures<Pool>(
      [] { return std::make_unique<Pool>(kLongName, 8, 2); });
  pool->SubmitTask(tally.Task(0));
  pool->Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TYPED_TEST(OutOfMemoryControlTest, AQueueNeedsMemoryForItsTasksAlone) {
  ExpectAllocatesNothing([] { workerpool::TaskQueue queue(1 << 20); });
}

// In every session: the first one makes what later ones find.
TYPED_TEST(OutOfMemoryControlTest, AStartupThatFailsLeavesAStoppedPool) {
  const std::size_t threads = CountThreads();
  Tally tally(3);
  typename TestFixture::Pool pool(kLongName, 3);
  for (std::size_t session = 0; session != 3; ++session) {
    int k = 0;
    while (!SucceedsWithFailure(k, [&] { pool.Startup(); })) {
      EXPECT_FALSE(pool.IsRunning());
      EXPECT_FALSE(pool.TrySubmit([] {}));
      WaitUntil([&] { return CountThreads() == threads; });
      ++k;
    }
    EXPECT_GE(k, 3);
    pool.Submit(tally.Task(session));
    pool.Shutdown();
    ASSERT_EQ(tally.RanExactlyOnce(), session + 1);
  }
}

TYPED_TEST(OutOfMemoryControlTest, AMonoQueuePoolsStartupMayFail) {
  Tally tally(1);
  typename TestFixture::MonoQueuePool pool(kLongName, 8, 2);
  int k = 0;
  while (!SucceedsWithFailure(k, [&] { pool.Startup(); })) {
    EXPECT_FALSE(pool.IsRunning());
    ++k;
  }
  EXPECT_GE(k, 2);
  pool.SubmitTask(tally.Task(0));
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

// It may have started the pool, but has kept no copy of the task.
TYPED_TEST(OutOfMemoryControlTest, ASubmitTaskThatFailsHasTakenNothing) {
  for (const bool running : {false, true}) {
    Tally tally(1);
    const auto capture = std::make_shared<int>(0);
    const auto task = [&tally, capture, padding = std::array<char, 99>()] {
      tally.Count(static_cast<std::size_t>(padding[0]));
    };
    typename TestFixture::MonoQueuePool pool(kLongName, 8, 2);
    if (running) pool.Startup();
    int k = 0;
    while (!SucceedsWithFailure(k, [&] { pool.SubmitTask(task); })) {
      EXPECT_EQ(capture.use_count(), 2);
      EXPECT_EQ(tally.Runs(), 0u);
      ++k;
    }
    EXPECT_GE(k, 1);
    pool.Shutdown();
    EXPECT_EQ(tally.RanExactlyOnce(), 1u);
    EXPECT_EQ(capture.use_count(), 2);
  }
}

TYPED_TEST(OutOfMemoryControlTest, ATrySubmitThatFailsHasTakenNothing) {
  Tally tally(1);
  const auto capture = std::make_shared<int>(0);
  auto task = [&tally, capture, padding = std::array<char, 99>()] {
    tally.Count(static_cast<std::size_t>(padding[0]));
  };
  typename TestFixture::Pool pool({.workers = 1, .queue_capacity = 1});
  ExpectAllocatesNothing([&] {
    EXPECT_FALSE(pool.TrySubmit(std::move(task))) << "refused, so untouched";
  });
  pool.Startup();
  HeldWorker held(pool);
  for (int i = 0; i != 3; ++i) pool.Submit([] {});  // the ring is full
  int k = 0;
  bool accepted = false;
  while (!SucceedsWithFailure(k, [&] { accepted = pool.TrySubmit(task); })) {
    EXPECT_EQ(capture.use_count(), 2);
    ++k;
  }
  EXPECT_EQ(k, 2);  // its place on the heap, the overflow
  EXPECT_TRUE(accepted);
  held.Release();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TYPED_TEST(OutOfMemoryControlTest, WaitingStoppingAndAskingNeedNoMemory) {
  Tally tally(40);
  workerpool::TaskQueue queue(8);
  typename TestFixture::Pool pool("pool", 2, queue);
  for (std::size_t session = 0; session != 2; ++session) {
    pool.Startup();
    for (std::size_t i = 0; i != 20; ++i) {
      pool.Submit(tally.Task(20 * session + i));
      if (i % 2 == 0) ExpectAllocatesNothing([&] { pool.WaitIdle(); });
    }
    ExpectAllocatesNothing([&] {
      static_cast<void>(pool.IsRunning());
      static_cast<void>(pool.NumWorkers());
      static_cast<void>(pool.TaskExceptions());
      static_cast<void>(queue.IsEmpty());
      pool.Startup();  // it runs already
      pool.Shutdown();
      pool.Shutdown();
    });
    ASSERT_EQ(tally.RanExactlyOnce(), 20 * (session + 1));
  }
  EXPECT_TRUE(queue.IsEmpty());
}

TYPED_TEST(OutOfMemoryControlTest, TheDestructorNeedsNoMemory) {
  Tally tally(20);
  auto pool = std::make_unique<typename TestFixture::Pool>("pool", 2);
  pool->Startup();
  for (std::size_t i = 0; i != 20; ++i) pool->Submit(tally.Task(i));
  ExpectAllocatesNothing([&] { pool.reset(); });
  EXPECT_EQ(tally.RanExactlyOnce(), 20u);
}

// With no worker left and no memory for one, the caller does their work.
TYPED_TEST(OutOfMemoryControlTest, ShutdownRunsTheRestThoughNoThreadFits) {
  Tally tally(11);
  typename TestFixture::Pool pool("pool", 1);
  pool.Startup();
  pool.Submit([&] {
    for (std::size_t i = 0; i != 10; ++i) pool.Submit(tally.Task(i));
    tally.Count(10);
    pthread_exit(nullptr);
  });
  WaitUntil([&] { return tally.Runs() == 1; });
  failing_allocations = {.left = 0, .lasting = true};
  pool.Shutdown();
  EXPECT_TRUE(failing_allocations.failed);
  failing_allocations = {};
  EXPECT_EQ(tally.RanExactlyOnce(), 11u);
}

// Either error will do; what counts is that nothing waits or is half done.
TYPED_TEST(OutOfMemoryControlTest, ARefusalIsAnErrorEvenWithoutMemory) {
  typename TestFixture::Pool pool("pool", 1);
  int refused = 0;
  const auto refuse = [&](std::function<void()> call) {
    for (int k = 0; k != 4; ++k) {
      failing_allocations = {.left = k};
      try {
        call();
      } catch (const std::bad_alloc&) {
        ++refused;
      } catch (const std::system_error&) {
        ++refused;
      }
      failing_allocations = {};
    }
  };
  refuse([&] { pool.Submit([] {}); });
  EXPECT_EQ(refused, 4);
  pool.Startup();
  pool.Submit([&] {
    refuse([&] { pool.Shutdown(); });
    refuse([&] { pool.WaitIdle(); });
  });
  pool.WaitIdle();
  EXPECT_EQ(refused, 12);
  EXPECT_TRUE(pool.IsRunning());
}

// All that a worker does beside the tasks themselves, on either way through
// the queue.
TYPED_TEST(OutOfMemoryControlTest, AWorkerRunsTasksWithoutMemory) {
  Tally tally(50);
  bool failed = true;
  typename TestFixture::Pool pool({.workers = 1, .queue_capacity = 4});
  pool.Startup();
  {
    HeldWorker held(pool, [] { failing_allocations = {0, true, false}; });
    for (std::size_t i = 0; i != 50; ++i) {
      pool.Submit([&tally, i, padding = std::array<char, 99>()] {
        tally.Count(i + static_cast<std::size_t>(padding[0]));
      });
    }
  }
  pool.WaitIdle();
  pool.Submit([&] { failed = failing_allocations.failed; });
  pool.Shutdown();
  EXPECT_FALSE(failed);
  EXPECT_EQ(tally.RanExactlyOnce(), 50u);
}

// The line on stderr may fall victim to that, the task's end may not.
TYPED_TEST(OutOfMemoryControlTest, ATaskThatThrowsWithoutMemoryIsDone) {
  Tally tally(3);
  typename TestFixture::Pool pool("pool", 1);
  pool.Startup();
  ::testing::internal::CaptureStderr();
  for (std::size_t i = 0; i != 2; ++i) {
    pool.Submit([&, i] {
      tally.Count(i);
      const std::runtime_error error("too long for a string without memory");
      failing_allocations = {.left = 0, .lasting = true};
      if (i == 0) throw error;
      throw 1;  // not a std::exception
    });
  }
  pool.Submit([&] {
    failing_allocations = {};
    tally.Count(2);
  });
  pool.WaitIdle();
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(pool.TaskExceptions(), 2u);
  EXPECT_EQ(tally.RanExactlyOnce(), 3u);
}

}  // namespace
}  // namespace workerpool_test
