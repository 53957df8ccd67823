// ShutdownNow: what runs finishes, what has not begun is destroyed and counted.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "errors.h"
#include "gate.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

template <class Strategy>
class ShutdownNowTest : public ::testing::Test {
 protected:
  using Pool = PoolOf<Strategy>;

  // Starts a pool whose workers all wait at the gate.
  void HoldAllWorkers(Pool& pool) {
    pool.Startup();
    for (unsigned i = 0; i != pool.NumWorkers(); ++i) {
      pool.Submit([this] { gate_.Pass(); });
    }
    gate_.AwaitArrivals(pool.NumWorkers());
  }

  Gate gate_;
};

TYPED_TEST_SUITE(ShutdownNowTest, Strategies, StrategyNames);

TYPED_TEST(ShutdownNowTest, WhatHasNotBegunIsDroppedAndCounted) {
  typename TestFixture::Pool pool("pool", 2);
  Tally tally(100);
  this->HoldAllWorkers(pool);
  const auto alive = std::make_shared<int>();
  for (std::size_t i = 0; i != 100; ++i) {
    pool.Submit([alive, task = tally.Task(i)]() mutable { task(); });
  }
  std::size_t dropped = 0;
  std::thread closer([&] { dropped = pool.ShutdownNow(); });
  // They are destroyed although both workers are still at their tasks.
  WaitUntil([&] { return alive.use_count() == 1; });
  this->gate_.Open();
  closer.join();
  EXPECT_EQ(dropped, 100u);
  EXPECT_EQ(tally.Runs(), 0u);
  EXPECT_FALSE(pool.IsRunning());
  EXPECT_FALSE(pool.IsDropping());
}

TYPED_TEST(ShutdownNowTest, AStoppedOrIdlePoolDropsNothing) {
  typename TestFixture::Pool pool("pool", 2);
  EXPECT_EQ(pool.ShutdownNow(), 0u);
  pool.Startup();
  EXPECT_EQ(pool.ShutdownNow(), 0u);
  EXPECT_EQ(pool.ShutdownNow(), 0u);
}

TYPED_TEST(ShutdownNowTest, TheNextSessionBehavesAsTheFirst) {
  typename TestFixture::Pool pool("pool", 2);
  for (int session = 0; session != 20; ++session) {
    Tally tally(10);
    pool.Startup();
    for (std::size_t i = 0; i != 10; ++i) {
      pool.Submit([&pool, &tally, i] { pool.Submit(tally.Task(i)); });
    }
    pool.WaitIdle();
    EXPECT_EQ(tally.RanExactlyOnce(), 10u);
    EXPECT_EQ(pool.ShutdownNow(), 0u);
  }
}

// The way out of a drain that would never end.
TYPED_TEST(ShutdownNowTest, EndsADrainWhoseTasksResubmitThemselves) {
  typename TestFixture::Pool pool("pool", 2);
  pool.Startup();
  std::atomic<std::size_t> accepted{0}, runs{0};
  struct Resubmits {
    typename TestFixture::Pool* pool;
    std::atomic<std::size_t>*accepted, *runs;
    void operator()() const {
      ++*runs;
      if (pool->TrySubmit(*this)) ++*accepted;
    }
  };
  for (int i = 0; i != 4; ++i) pool.Submit(Resubmits{&pool, &accepted, &runs});
  std::thread closer([&] { pool.Shutdown(); });
  WaitUntil([&] { return !pool.IsRunning() && accepted > 100; });
  const std::size_t dropped = pool.ShutdownNow();
  closer.join();
  EXPECT_EQ(runs + dropped, accepted + 4);
  EXPECT_FALSE(pool.IsRunning());
  EXPECT_FALSE(pool.TrySubmit([] {}));
}

// Accepted = run + dropped, and each of them destroyed before the return.
TYPED_TEST(ShutdownNowTest, AcceptedIsRunOrDropped) {
  for (int round = 0; round != 50; ++round) {
    typename TestFixture::Pool pool("pool", 2);
    pool.Startup();
    const auto alive = std::make_shared<int>();
    std::atomic<std::size_t> runs{0}, accepted{0};
    const auto submit = [&] {
      while (pool.TrySubmit([alive, &runs] { ++runs; })) ++accepted;
    };
    std::thread one(submit), two(submit);
    WaitUntil([&] { return runs > 20; });
    const std::size_t dropped = pool.ShutdownNow();
    one.join();
    two.join();
    EXPECT_EQ(accepted, runs + dropped);
    EXPECT_EQ(alive.use_count(), 1);
  }
}

// Each returns after the last worker; one of the two that drop counts.
TYPED_TEST(ShutdownNowTest, SeveralCallersShareOneEnd) {
  for (int round = 0; round != 50; ++round) {
    typename TestFixture::Pool pool("pool", 2);
    pool.Startup();
    std::atomic<std::size_t> runs{0}, dropped{0};
    for (int i = 0; i != 50; ++i) pool.Submit([&] { ++runs; });
    const auto drop = [&] {
      dropped += pool.ShutdownNow();
      EXPECT_FALSE(pool.IsRunning());
    };
    std::thread one(drop), two(drop), three([&] { pool.Shutdown(); });
    one.join();
    two.join();
    three.join();
    EXPECT_EQ(runs + dropped, 50u);
  }
}

TYPED_TEST(ShutdownNowTest, OnAWorkerItIsAnError) {
  typename TestFixture::Pool pool("pool", 2);
  pool.Startup();
  std::atomic<int> errors{0};
  pool.Submit([&] {
    errors += SystemErrorOf([&] { pool.ShutdownNow(); }) == kWouldDeadlock;
  });
  pool.Shutdown();
  EXPECT_EQ(errors, 1);
}

// A dropped task's destructor runs on the caller, which counts as a worker
// then: what would wait for itself is an error, and submitting is refused.
TYPED_TEST(ShutdownNowTest, ADroppedTasksDestructorMayCallThePool) {
  typename TestFixture::Pool pool("pool", 1);
  this->HoldAllWorkers(pool);
  struct Calls {
    typename TestFixture::Pool* pool;
    std::vector<std::error_code>* seen;
    bool* submitted;
    Calls(typename TestFixture::Pool* p, std::vector<std::error_code>* s,
          bool* b)
        : pool(p), seen(s), submitted(b) {}
    Calls(Calls&& other) noexcept
        : pool(std::exchange(other.pool, nullptr)),
          seen(other.seen),
          submitted(other.submitted) {}
    ~Calls() {
      if (pool == nullptr) return;
      *submitted = pool->TrySubmit([] {});
      seen->push_back(SystemErrorOf([&] { pool->WaitIdle(); }));
      seen->push_back(SystemErrorOf([&] { pool->Shutdown(); }));
      seen->push_back(SystemErrorOf([&] { pool->ShutdownNow(); }));
      seen->push_back(SystemErrorOf([&] { pool->Startup(); }));
    }
    void operator()() const {}
  };
  std::vector<std::error_code> seen;
  bool submitted = true;
  pool.Submit(Calls(&pool, &seen, &submitted));
  std::thread opener([&] {
    WaitUntil([&] { return pool.IsDropping(); });
    this->gate_.Open();
  });
  EXPECT_EQ(pool.ShutdownNow(), 1u);
  opener.join();
  EXPECT_EQ(seen, std::vector<std::error_code>(4, kWouldDeadlock));
  EXPECT_FALSE(submitted);
  EXPECT_NO_THROW(pool.Shutdown()) << "outside again";
}

// The second caller waits; it does not take the place of the one that drops.
TYPED_TEST(ShutdownNowTest, OnlyTheOneThatDropsCountsAsAWorker) {
  typename TestFixture::Pool pool("pool", 1);
  this->HoldAllWorkers(pool);
  Gate second_is_there;
  struct WaitsWhenItDies {
    typename TestFixture::Pool* pool;
    Gate* gate;
    std::error_code* seen;
    WaitsWhenItDies(typename TestFixture::Pool* p, Gate* g, std::error_code* s)
        : pool(p), gate(g), seen(s) {}
    WaitsWhenItDies(WaitsWhenItDies&& other) noexcept
        : pool(std::exchange(other.pool, nullptr)),
          gate(other.gate),
          seen(other.seen) {}
    ~WaitsWhenItDies() {
      if (pool == nullptr) return;
      gate->Pass();
      *seen = SystemErrorOf([&] { pool->WaitIdle(); });
    }
    void operator()() const {}
  };
  std::error_code seen;
  pool.Submit(WaitsWhenItDies(&pool, &second_is_there, &seen));
  std::size_t first = 0, second = 0;
  std::thread dropper([&] { first = pool.ShutdownNow(); });
  second_is_there.AwaitArrivals(1);
  std::thread other([&] { second = pool.ShutdownNow(); });
  GiveFaultsAChance();  // it is inside the call
  second_is_there.Open();
  this->gate_.Open();
  dropper.join();
  other.join();
  EXPECT_EQ(seen, kWouldDeadlock);
  EXPECT_EQ(first, 1u);
  EXPECT_EQ(second, 0u);
}

TYPED_TEST(ShutdownNowTest, WaitersForIdleReturn) {
  typename TestFixture::Pool pool("pool", 1);
  this->HoldAllWorkers(pool);
  pool.Submit([] {});
  std::thread waiter([&] { pool.WaitIdle(); });
  std::thread closer([&] { EXPECT_EQ(pool.ShutdownNow(), 1u); });
  WaitUntil([&] { return pool.IsDropping(); });
  this->gate_.Open();
  waiter.join();
  closer.join();
}

}  // namespace
}  // namespace workerpool_test
