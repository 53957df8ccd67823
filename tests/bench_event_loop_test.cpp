// The event loop, the executor and the original's pools, without an engine.
#include "event_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "coroutine.h"
#include "executor.h"
#include "original_pools.h"

namespace bench {
namespace {

using std::chrono::milliseconds;

// `count` statements, one after the other.
template <class Executor>
Coroutine RunStatements(Executor& executor, int count, int& sum, bool& ended) {
  for (int i = 0; i < count; ++i) {
    co_await executor.Run([&sum] { ++sum; });
  }
  ended = true;
}

template <class Executor>
Coroutine FailOnce(Executor& executor, std::string& message, bool& ended) {
  try {
    co_await executor.Run([] { throw std::runtime_error("no such row"); });
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  ended = true;
}

template <class Pool>
class OriginalPoolTest : public testing::Test {
 protected:
  static constexpr std::uint32_t kWorkers = 4;
  OriginalPoolTest() { pool_.Startup(); }
  ~OriginalPoolTest() override { pool_.Shutdown(); }

  TaskCounter executed_{kWorkers};
  EventLoop loop_;
  Pool pool_{"test", kWorkers};
  PoolExecutor<Pool> executor_{pool_, loop_, executed_};
};

using Pools = testing::Types<OriginalBackoffPool, OriginalCondVarPool>;
TYPED_TEST_SUITE(OriginalPoolTest, Pools);

TYPED_TEST(OriginalPoolTest, EveryStatementRunsOnceAndResumesItsTerminal) {
  constexpr int kTerminals = 8, kStatements = 500;
  int sums[kTerminals] = {};
  bool ended[kTerminals] = {};
  std::vector<Coroutine> terminals;
  for (int i = 0; i < kTerminals; ++i) {
    terminals.push_back(
        RunStatements(this->executor_, kStatements, sums[i], ended[i]));
  }
  this->loop_.Run([&] {
    for (const bool end : ended) {
      if (!end) return false;
    }
    return true;
  });
  for (const int sum : sums) EXPECT_EQ(sum, kStatements);
  EXPECT_EQ(this->executed_.Total(),
            static_cast<std::uint64_t>(kTerminals) * kStatements);
}

TYPED_TEST(OriginalPoolTest, WhatAStatementThrowsReachesItsTransaction) {
  std::string message;
  bool ended = false;
  const Coroutine terminal = FailOnce(this->executor_, message, ended);
  this->loop_.Run([&] { return ended; });
  EXPECT_EQ(message, "no such row");
}

TEST(InlineExecutorTest, ATransactionEndsBeforeItIsAwaited) {
  TaskCounter executed(1);
  InlineExecutor executor(executed);
  int sum = 0;
  bool ended = false;
  const Coroutine terminal = RunStatements(executor, 3, sum, ended);
  EXPECT_TRUE(ended);
  EXPECT_TRUE(terminal.await_ready());
  EXPECT_EQ(sum, 3);
}

struct Posted : EventLoop::Callback {
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiting) { resume = waiting; }
  void await_resume() const {}
};

Coroutine Append(Posted& posted, int number, std::vector<int>& order) {
  co_await posted;
  order.push_back(number);
}

TEST(EventLoopTest, CallbacksOfOneThreadRunInTheOrderOfTheirPosts) {
  EventLoop loop;
  std::vector<int> order;
  Posted posted[3];
  std::vector<Coroutine> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(Append(posted[i], i, order));
  for (Posted& callback : posted) loop.Post(callback);
  loop.Run([&] { return order.size() == 3; });
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST(EventLoopTest, APostToASleepingLoopIsNotLost) {
  EventLoop loop;
  std::vector<int> order;
  Posted posted;
  const Coroutine waiting = Append(posted, 1, order);
  std::thread poster([&] {
    std::this_thread::sleep_for(milliseconds(20));
    loop.Post(posted);
  });
  loop.Run([&] { return !order.empty(); });
  poster.join();
}

Coroutine Sleep(EventLoop& loop, TaskCounter& executed, milliseconds duration,
                std::vector<int>& order, int number) {
  struct NoPool {
  } none;
  PoolExecutor executor(none, loop, executed);
  co_await executor.Pause(duration);
  order.push_back(number);
}

TEST(EventLoopTest, TimersFireInOrderAndNotBeforeTheirTime) {
  const auto begin = EventLoop::Clock::now();
  TaskCounter executed(0);
  EventLoop loop;
  std::vector<int> order;
  const Coroutine late = Sleep(loop, executed, milliseconds(20), order, 2);
  const Coroutine soon = Sleep(loop, executed, milliseconds(10), order, 1);
  loop.Run([&] { return order.size() == 2; });
  EXPECT_EQ(order, (std::vector{1, 2}));
  EXPECT_GE(EventLoop::Clock::now() - begin, milliseconds(20));
}

}  // namespace
}  // namespace bench
