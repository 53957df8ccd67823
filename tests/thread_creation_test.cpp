// The k-th thread cannot be created, for every k: Startup undoes all it did,
// says so, and the pool can be used. This program has a pthread_create of its
// own, which is why it stands alone.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <memory>
#include <system_error>
#include <thread>

#include "errors.h"
#include "gate.h"
#include "pool/mono_queue_pool.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"
#include "threads_of_process.h"

namespace {

constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
std::atomic<std::uint32_t> creations_until_failure{kNever};

}  // namespace

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attr,
                              void* (*start)(void*), void* argument) {
  if (creations_until_failure != kNever && creations_until_failure-- == 0) {
    creations_until_failure = kNever;
    return EAGAIN;
  }
  static const auto real = reinterpret_cast<decltype(&pthread_create)>(
      dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attr, start, argument);
}

namespace workerpool_test {
namespace {

inline const auto kNoThread =
    std::make_error_code(std::errc::resource_unavailable_try_again);

template <class Strategy>
class ThreadCreationTest : public ::testing::Test {};

TYPED_TEST_SUITE(ThreadCreationTest, Strategies, StrategyNames);

// Calls test(workers, k) for every k-th creation that can fail.
template <class Test>
void ForEveryFailure(Test test) {
  for (std::uint32_t workers = 1; workers != 6; ++workers) {
    for (std::uint32_t k = 0; k != workers; ++k) {
      SCOPED_TRACE(::testing::Message()
                   << "thread " << k << " of " << workers << " fails");
      test(workers, k);
    }
  }
}

// A joined thread leaves the kernel's list a little later.
void ExpectThreads(std::size_t count) {
  WaitUntil([&] { return CountThreads() <= count; });
  EXPECT_EQ(CountThreads(), count);
}

TYPED_TEST(ThreadCreationTest, AFailedStartupLeavesAStoppedAndUsablePool) {
  ForEveryFailure([](std::uint32_t workers, std::uint32_t k) {
    Tally tally(workers + 1);
    const std::size_t threads = CountThreads();
    PoolOf<TypeParam> pool("pool", workers);
    for (int attempt = 0; attempt != 2; ++attempt) {
      creations_until_failure = k;
      EXPECT_EQ(SystemErrorOf([&] { pool.Startup(); }), kNoThread);
      ExpectThreads(threads);
      EXPECT_FALSE(pool.IsRunning());
      EXPECT_FALSE(pool.TrySubmit(tally.Task(workers)));
      pool.WaitIdle();
      pool.Shutdown();
    }
    pool.Startup();
    EXPECT_EQ(CountThreads(), threads + workers);
    for (std::uint32_t i = 0; i != workers; ++i) pool.Submit(tally.Task(i));
    pool.Shutdown();
    EXPECT_EQ(tally.RanExactlyOnce(), workers);
    EXPECT_EQ(tally.Runs(), workers);
  });
}

TYPED_TEST(ThreadCreationTest, ALaterSessionMayFailToStart) {
  ForEveryFailure([](std::uint32_t workers, std::uint32_t k) {
    Tally tally(2);
    const std::size_t threads = CountThreads();
    PoolOf<TypeParam> pool("pool", workers);
    for (std::size_t session = 0; session != 2; ++session) {
      pool.Startup();
      pool.Submit(tally.Task(session));
      pool.Shutdown();
      creations_until_failure = k;
      EXPECT_EQ(SystemErrorOf([&] { pool.Startup(); }), kNoThread);
      ExpectThreads(threads);
    }
    EXPECT_EQ(tally.RanExactlyOnce(), 2u);
  });
}

// Held tasks would be a temptation for the threads that do exist.
TYPED_TEST(ThreadCreationTest, HeldTasksSurviveAFailedStartupAndRunLater) {
  ForEveryFailure([](std::uint32_t workers, std::uint32_t k) {
    Tally tally(40);
    workerpool::TaskQueue queue(8);
    PoolOf<TypeParam> pool("pool", workers, queue);
    for (std::size_t i = 0; i != 40; ++i) queue.Enqueue(tally.Task(i));
    creations_until_failure = k;
    EXPECT_EQ(SystemErrorOf([&] { pool.Startup(); }), kNoThread);
    EXPECT_EQ(tally.Runs(), 0u);
    EXPECT_FALSE(queue.IsEmpty());
    pool.Startup();
    pool.WaitIdle();
    EXPECT_EQ(tally.RanExactlyOnce(), 40u);
  });
}

TYPED_TEST(ThreadCreationTest, ASubmitTaskThatCannotStartAcceptsNothing) {
  ForEveryFailure([](std::uint32_t workers, std::uint32_t k) {
    Tally tally(1);
    const auto capture = std::make_shared<int>(0);
    const auto task = [&tally, capture] { tally.Count(0); };
    workerpool::BasicMonoQueuePool<PoolOf<TypeParam>> pool("pool", 8, workers);
    creations_until_failure = k;
    EXPECT_EQ(SystemErrorOf([&] { pool.SubmitTask(task); }), kNoThread);
    EXPECT_FALSE(pool.IsRunning());
    EXPECT_EQ(capture.use_count(), 2) << "no copy is kept";
    pool.SubmitTask(task);
    pool.Shutdown();
    EXPECT_EQ(tally.RanExactlyOnce(), 1u);
  });
}

// The only worker has ended its thread, and left a task.
TYPED_TEST(ThreadCreationTest, ShutdownStandsInItselfIfNoThreadCanBeCreated) {
  Tally tally(2);
  std::thread::id ran_on;
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  creations_until_failure = 0;
  pool.Submit([&] {
    tally.Count(0);
    pool.Submit([&] {
      tally.Count(1);
      ran_on = std::this_thread::get_id();
      EXPECT_EQ(SystemErrorOf([&] { pool.Shutdown(); }), kWouldDeadlock);
    });
    pthread_exit(nullptr);
  });
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 2u);
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_EQ(creations_until_failure, kNever) << "one was tried";
}

// The one that waits for the outcome may try for itself.
TYPED_TEST(ThreadCreationTest, AConcurrentStartupSucceedsAfterTheFailedOne) {
  ForEveryFailure([](std::uint32_t workers, std::uint32_t k) {
    Tally tally(1);
    PoolOf<TypeParam> pool("pool", workers);
    std::atomic<bool> go{false};
    std::atomic<int> failed{0};
    const auto start = [&] {
      WaitUntil([&] { return go.load(); });
      if (SystemErrorOf([&] { pool.Startup(); })) ++failed;
    };
    {
      std::jthread one(start), two(start);
      creations_until_failure = k;
      go = true;
    }
    EXPECT_EQ(failed, 1);
    EXPECT_TRUE(pool.IsRunning());
    pool.Submit(tally.Task(0));
    pool.Shutdown();
    EXPECT_EQ(tally.RanExactlyOnce(), 1u);
  });
}

}  // namespace
}  // namespace workerpool_test
