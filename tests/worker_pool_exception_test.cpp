// A task that throws, or ends its thread, harms no other task.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "errors.h"
#include "gate.h"
#include "odd_platforms.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

using workerpool::WorkerPoolOptions;

WorkerPoolOptions Handling(std::function<void(std::exception_ptr)> handler) {
  WorkerPoolOptions options;
  options.name = "pool";
  options.workers = 2;
  options.on_exception = std::move(handler);
  return options;
}

std::string MessageOf(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (int number) {
    return std::to_string(number);
  }
}

TYPED_TEST(WorkerPoolTest, AThrowingTaskHarmsNoOtherTask) {
  Tally tally(100);
  std::atomic<int> handled{0};
  PoolOf<TypeParam> pool(Handling([&](std::exception_ptr) { ++handled; }));
  pool.Startup();
  for (std::size_t i = 0; i != 100; ++i) {
    pool.Submit([&, i] {
      tally.Count(i);
      if (i % 2 == 0) throw std::runtime_error("even");
    });
  }
  pool.WaitIdle();
  EXPECT_EQ(pool.TaskExceptions(), 50u);
  EXPECT_EQ(handled, 50);
  EXPECT_EQ(tally.RanExactlyOnce(), 100u);
}

TYPED_TEST(WorkerPoolTest, TheHandlerGetsWhatTheTaskThrewBeforeTheTaskIsDone) {
  std::vector<std::string> messages;  // the pool orders all accesses
  PoolOf<TypeParam> pool(Handling(
      [&](std::exception_ptr error) { messages.push_back(MessageOf(error)); }));
  pool.Startup();
  int runs = 0;
  pool.Submit([&] {
    ++runs;
    throw std::runtime_error("first");
  });
  pool.WaitIdle();
  pool.Submit([&] {
    ++runs;
    throw 2;
  });
  pool.WaitIdle();
  EXPECT_EQ(messages, (std::vector<std::string>{"first", "2"}));
  EXPECT_EQ(runs, 2);
}

TYPED_TEST(WorkerPoolTest, ThePoolSurvivesAHandlerThatThrows) {
  Tally tally(20);
  PoolOf<TypeParam> pool(Handling(
      [](std::exception_ptr error) { std::rethrow_exception(error); }));
  pool.Startup();
  ::testing::internal::CaptureStderr();
  for (std::size_t i = 0; i != 20; ++i) {
    pool.Submit([&, i] {
      tally.Count(i);
      throw 1;
    });
  }
  pool.Shutdown();
  const std::string output = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 20);
  EXPECT_EQ(pool.TaskExceptions(), 20u);
  EXPECT_EQ(tally.RanExactlyOnce(), 20u);
}

TYPED_TEST(WorkerPoolTest, TheHandlerMaySubmit) {
  Tally tally(2);
  PoolOf<TypeParam>* submit_to = nullptr;
  PoolOf<TypeParam> pool(
      Handling([&](std::exception_ptr) { submit_to->Submit(tally.Task(1)); }));
  submit_to = &pool;
  pool.Startup();
  pool.Submit([&] {
    tally.Count(0);
    throw 1;
  });
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 2u);
}

template <class Pool, class Thrown>
std::string LineForATaskThatThrows(Thrown thrown) {
  int runs = 0;
  ::testing::internal::CaptureStderr();
  {
    Pool pool("some-pool", 1);
    pool.Startup();
    pool.Submit([&] {
      ++runs;
      throw thrown;
    });
  }
  EXPECT_EQ(runs, 1);
  return ::testing::internal::GetCapturedStderr();
}

TYPED_TEST(WorkerPoolTest, WithoutAHandlerAThrowingTaskPrintsOneLine) {
  using Pool = PoolOf<TypeParam>;
  for (const std::string& line :
       {LineForATaskThatThrows<Pool>(std::runtime_error("broken")),
        LineForATaskThatThrows<Pool>(42)}) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    EXPECT_NE(line.find("some-pool"), std::string::npos) << line;
  }
  EXPECT_NE(
      LineForATaskThatThrows<Pool>(std::runtime_error("broken")).find("broken"),
      std::string::npos);
}

// An exception object with a destructor of its own.
struct Noticed {
  explicit Noticed(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
  Noticed(const Noticed& other) : alive_(other.alive_) { ++alive_; }
  ~Noticed() { --alive_; }
  std::atomic<int>& alive_;
};

TYPED_TEST(WorkerPoolTest, AnExceptionIsGoneWhenItsTaskIsDone) {
  std::atomic<int> alive{0}, runs{0};
  PoolOf<TypeParam> pool(Handling([](std::exception_ptr) {}));
  pool.Startup();
  for (int i = 0; i != 200; ++i) {
    pool.Submit([&] {
      ++runs;
      throw Noticed(alive);
    });
    pool.WaitIdle();
    ASSERT_EQ(alive, 0);
  }
  EXPECT_EQ(runs, 200);
}

TYPED_TEST(WorkerPoolTest, ATaskThatEndsItsThreadIsDoneAndOthersRun) {
  Tally tally(21);
  int destroyed = 0;
  PoolOf<TypeParam> pool("pool", 2);
  pool.Startup();
  {
    std::shared_ptr<void> capture(nullptr, [&](void*) { ++destroyed; });
    pool.Submit([&, capture = std::move(capture)] {
      tally.Count(20);
      pthread_exit(nullptr);
    });
  }
  pool.WaitIdle();
  EXPECT_EQ(destroyed, 1);
  for (std::size_t i = 0; i != 20; ++i) pool.Submit(tally.Task(i));
  pool.Shutdown();
  EXPECT_EQ(pool.TaskExceptions(), 0u);
  EXPECT_EQ(tally.RanExactlyOnce(), 21u);
}

TYPED_TEST(WorkerPoolTest, APoolWhoseWorkersAllEndedTheirThreadsRestarts) {
  Tally tally(3);
  PoolOf<TypeParam> pool("pool", 1);
  for (std::size_t session = 0; session != 3; ++session) {
    pool.Startup();
    pool.Submit([&, session] {
      tally.Count(session);
      pthread_exit(nullptr);
    });
    pool.WaitIdle();
    pool.Shutdown();
  }
  EXPECT_EQ(tally.RanExactlyOnce(), 3u);
}

TYPED_TEST(WorkerPoolTest, EveryTaskMayEndItsThread) {
  Tally tally(5);
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  pool.Submit([&] {
    for (std::size_t i = 0; i != 4; ++i) {
      pool.Submit([&, i] {
        tally.Count(i);
        pthread_exit(nullptr);
      });
    }
    pool.Submit(tally.Task(4));
    pthread_exit(nullptr);
  });
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 5u);
  EXPECT_FALSE(pool.IsRunning());
}

TYPED_TEST(WorkerPoolTest, ShutdownRunsWhatIsLeftThoughNoWorkerIs) {
  Tally tally(12);
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  pool.Submit([&] {
    tally.Count(0);
    for (std::size_t i = 1; i != 11; ++i) pool.Submit(tally.Task(i));
    pool.Submit([&] {
      EXPECT_THROW(pool.Shutdown(), std::system_error);
      pool.Submit(tally.Task(11));
    });
    pthread_exit(nullptr);
  });
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 12u);
}

// The thread that stands in for them holds no lock of the pool's: what is left
// may call the pool as in any drain.
TYPED_TEST(WorkerPoolTest, WhatIsLeftMayCallThePoolThoughNoWorkerIs) {
  PoolOf<TypeParam> pool("pool", 1);
  pool.Startup();
  int errors = 0;
  pool.Submit([&] {
    pool.Submit([&] {
      errors += SystemErrorOf([&] { pool.Startup(); }) == kWouldDeadlock;
    });
    pthread_exit(nullptr);
  });
  pool.Shutdown();
  EXPECT_EQ(errors, 1);
}

// Nor does another caller of Shutdown return while it works, though its wait
// ends again and again.
TYPED_TEST(WorkerPoolTest, EveryShutdownWaitsForWhatIsLeftThoughNoWorkerIs) {
  PoolOf<TypeParam, SpuriousPlatform> pool("pool", 1);
  pool.Startup();
  Gate gate;
  std::atomic<bool> ran{false};
  pool.Submit([&] {
    pool.Submit([&] {
      gate.Pass();
      ran = true;
    });
    pthread_exit(nullptr);
  });
  std::thread first([&] { pool.Shutdown(); });
  gate.AwaitArrivals(1);
  std::thread second([&] {
    pool.Shutdown();
    EXPECT_TRUE(ran);
  });
  GiveFaultsAChance();
  gate.Open();
  first.join();
  second.join();
}

TYPED_TEST(WorkerPoolTest, TheHandlerSeesItsExceptionCounted) {
  std::uint64_t seen = 0;
  PoolOf<TypeParam>* its_pool = nullptr;
  PoolOf<TypeParam> pool(
      Handling([&](std::exception_ptr) { seen = its_pool->TaskExceptions(); }));
  its_pool = &pool;
  pool.Startup();
  pool.Submit([] { throw 1; });
  pool.Shutdown();
  EXPECT_EQ(seen, 1u);
}

}  // namespace
}  // namespace workerpool_test
