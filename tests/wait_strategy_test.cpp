// Every way to wait keeps the wake-ups it promises. No timer may help here: a
// strategy that has one gets an hour.
#include "pool/wait_strategy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "gate.h"
#include "odd_platforms.h"
#include "strategies.h"

namespace workerpool_test {
namespace {

template <class Strategy>
class WaitStrategyTest : public ::testing::Test {
 protected:
  using Wait = typename Strategy::template Wait<workerpool::StdPlatform>;
  using PerWorker = typename Wait::PerWorker;

  static constexpr workerpool::WaitOptions kTimeless = {
      .shortest_sleep = std::chrono::hours(1),
      .longest_sleep = std::chrono::hours(1)};

  // Waits as a worker does while its session is open.
  template <class Predicate>
  void WaitUntilHolds(PerWorker& mine, Predicate holds) {
    wait_.Wait(mine, holds, [] { return false; });
  }

  Wait wait_{kTimeless};
  std::atomic<int> work_{0};
  std::atomic<bool> over_{false};
};

TYPED_TEST_SUITE(WaitStrategyTest, Strategies, StrategyNames);

TYPED_TEST(WaitStrategyTest, AWorkerWhosePredicateHoldsDoesNotSleep) {
  typename TestFixture::PerWorker mine;
  int asked = 0;
  for (int i = 1; i != 4; ++i) {
    this->WaitUntilHolds(mine, [&] { return ++asked > 0; });
    EXPECT_EQ(asked, i);
  }
}

TYPED_TEST(WaitStrategyTest, ANotificationBeforeTheWaitIsNotNeeded) {
  typename TestFixture::PerWorker mine;
  this->work_ = 1;
  this->wait_.Notify();
  this->wait_.NotifyAll();
  int asked = 0;
  this->WaitUntilHolds(mine, [&] { return ++asked, this->work_ == 1; });
  EXPECT_EQ(asked, 1);
}

TYPED_TEST(WaitStrategyTest, NotifyAllWakesEverySleeper) {
  std::atomic<int> asleep{0}, awake{0};
  std::vector<std::jthread> workers;
  for (int i = 0; i != 4; ++i) {
    workers.emplace_back([&] {
      typename TestFixture::PerWorker mine;
      bool counted = false;
      this->WaitUntilHolds(mine, [&] {
        if (!std::exchange(counted, true)) ++asleep;
        return this->over_.load();
      });
      ++awake;
    });
  }
  WaitUntil([&] { return asleep == 4; });
  EXPECT_EQ(awake, 0);
  this->over_ = true;
  this->wait_.NotifyAll();
  workers.clear();
  EXPECT_EQ(awake, 4);
}

// The predicate itself starts the notifier, and takes its time: the
// notification falls between the worker's test and its sleep, or waits.
TYPED_TEST(WaitStrategyTest, NotifyAllBetweenPredicateAndSleepIsNotLost) {
  for (int round = 0; round != 3; ++round) {
    typename TestFixture::PerWorker mine;
    this->over_ = false;
    std::thread notifier;
    int asked = 0;
    this->WaitUntilHolds(mine, [&] {
      if (asked++ != 0) return this->over_.load();
      notifier = std::thread([&] {
        this->over_ = true;
        this->wait_.NotifyAll();
      });
      GiveFaultsAChance();
      return false;  // what it would have read before the notifier began
    });
    notifier.join();
    EXPECT_GE(asked, 1);
    EXPECT_TRUE(this->over_);
  }
}

// A strategy whose Notify does nothing finds work by its timer, which the
// tests of whole pools cover.
template <class Strategy>
constexpr bool kNotifyWakes = !std::is_same_v<Strategy, Backoff>;

TYPED_TEST(WaitStrategyTest, NotifyBetweenPredicateAndSleepIsNotLost) {
  if (!kNotifyWakes<TypeParam>) GTEST_SKIP() << "its wake-up is a timer";
  for (int round = 0; round != 3; ++round) {
    typename TestFixture::PerWorker mine;
    this->work_ = 0;
    std::thread notifier;
    int asked = 0;
    this->WaitUntilHolds(mine, [&] {
      if (asked++ != 0) return this->work_ != 0;
      notifier = std::thread([&] {
        this->work_ = 1;
        this->wait_.Notify();
      });
      GiveFaultsAChance();
      return false;
    });
    notifier.join();
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(this->work_, 1);
  }
}

// One notification for each piece of work, and all workers get to work.
TYPED_TEST(WaitStrategyTest, AsManyNotificationsAsSleepersWakeThemAll) {
  if (!kNotifyWakes<TypeParam>) GTEST_SKIP() << "its wake-up is a timer";
  for (int round = 0; round != 50; ++round) {
    this->work_ = 0;
    std::atomic<int> taken{0};
    std::vector<std::jthread> workers;
    for (int i = 0; i != 3; ++i) {
      workers.emplace_back([&] {
        typename TestFixture::PerWorker mine;
        for (int work = 0; work <= 0;) {  // until it has taken one
          this->WaitUntilHolds(mine, [&] { return this->work_ > 0; });
          work = this->work_.load();
          while (work > 0 &&
                 !this->work_.compare_exchange_weak(work, work - 1)) {
          }
        }
        ++taken;
      });
    }
    if (round % 10 == 0) GiveFaultsAChance();
    for (int i = 0; i != 3; ++i) {
      ++this->work_;
      this->wait_.Notify();
    }
    workers.clear();
    ASSERT_EQ(taken, 3);
  }
}

// A worker that learns of the drain only when it is about to sleep may meet a
// task that was accepted before; it must look again before its timer fires.
TEST(WaitStrategyBackoffTest, ASleepThatBeginsInADrainIsBrief) {
  using Wait = workerpool::BackoffWait<workerpool::StdPlatform>;
  Wait wait({.shortest_sleep = std::chrono::hours(1),
             .longest_sleep = std::chrono::hours(1)});
  Wait::PerWorker mine;
  int asked = 0;
  for (int i = 0; i != 3; ++i) {
    wait.Wait(
        mine, [&] { return ++asked, false; }, [] { return true; });
  }
  EXPECT_EQ(asked, 3);
}

// A submitter that finds nobody asleep makes no system call, also after
// somebody has slept.
TYPED_TEST(WaitStrategyTest, NotifyNotifiesNobodyWhenNobodySleeps) {
  std::atomic<int>& notifications = NotificationCountingPlatform::notifications;
  typename TypeParam::template Wait<NotificationCountingPlatform> wait(
      this->kTimeless);
  {
    std::jthread sleeper([&] {
      typename decltype(wait)::PerWorker mine;
      wait.Wait(
          mine, [&] { return this->over_.load(); }, [] { return false; });
    });
    GiveFaultsAChance();
    this->over_ = true;
    wait.NotifyAll();
  }
  notifications = 0;
  for (int i = 0; i != 3; ++i) wait.Notify();
  EXPECT_EQ(notifications, 0);
}

}  // namespace
}  // namespace workerpool_test
