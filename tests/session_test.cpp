// The session's word: who is accepted, who ends the session, who waits.
#include "pool/session.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "gate.h"
#include "odd_platforms.h"
#include "pool/std_platform.h"

namespace workerpool_test {
namespace {

using workerpool::Completed;
using Session = workerpool::Session<workerpool::StdPlatform>;

TEST(SessionTest, ANewSessionIsOverAndRefuses) {
  Session session;
  EXPECT_FALSE(session.IsOpen());
  EXPECT_TRUE(session.IsOver());
  EXPECT_FALSE(session.Accept());
  EXPECT_FALSE(session.AcceptFromTask());
  session.WaitIdle();  // nothing is pending
  EXPECT_TRUE(session.IsOver()) << "a refusal has written nothing";
}

TEST(SessionTest, AnOpenSessionAcceptsFromEverywhere) {
  Session session;
  session.Open(0);
  EXPECT_TRUE(session.IsOpen());
  EXPECT_FALSE(session.IsOver());
  EXPECT_TRUE(session.Accept());
  EXPECT_TRUE(session.AcceptFromTask());
  EXPECT_EQ(session.Complete(), Completed::kOne);
  EXPECT_EQ(session.Complete(), Completed::kOne);
  EXPECT_TRUE(session.IsOpen()) << "idle, but not over";
}

TEST(SessionTest, ADrainAcceptsFromTasksAlone) {
  Session session;
  session.Open(0);
  EXPECT_TRUE(session.Accept());
  session.Close();
  EXPECT_FALSE(session.IsOpen());
  EXPECT_FALSE(session.IsOver());
  EXPECT_FALSE(session.Accept());
  EXPECT_TRUE(session.AcceptFromTask());
  EXPECT_EQ(session.Complete(), Completed::kOne);
  EXPECT_FALSE(session.IsOver());
  EXPECT_EQ(session.Complete(), Completed::kLast)
      << "the last one ends the session";
  EXPECT_TRUE(session.IsOver());
  EXPECT_FALSE(session.AcceptFromTask());
}

TEST(SessionTest, ClosingAnIdleSessionEndsIt) {
  Session session;
  session.Open(0);
  EXPECT_TRUE(session.Accept());
  EXPECT_EQ(session.Complete(), Completed::kOne);
  EXPECT_FALSE(session.IsOver());
  session.Close();
  EXPECT_TRUE(session.IsOver());
}

TEST(SessionTest, HeldTasksArePendingFromTheStart) {
  Session session;
  session.Open(2);
  session.Close();
  EXPECT_EQ(session.Complete(), Completed::kOne);
  EXPECT_EQ(session.Complete(), Completed::kLast);
  EXPECT_TRUE(session.IsOver());
}

TEST(SessionTest, EverySessionBehavesAsTheFirst) {
  Session session;
  for (std::uint64_t held = 0; held != 5; ++held) {
    session.Open(held);
    EXPECT_TRUE(session.Accept());
    for (std::uint64_t i = 0; i != held; ++i)
      EXPECT_EQ(session.Complete(), Completed::kOne);
    session.Close();
    EXPECT_EQ(session.Complete(), Completed::kLast);
    EXPECT_TRUE(session.IsOver());
    EXPECT_FALSE(session.Accept());
  }
}

TEST(SessionTest, DroppingRefusesEvenTasksAndTellsWorkersToLeave) {
  Session session;
  session.Open(3);
  EXPECT_FALSE(session.IsDropping());
  EXPECT_FALSE(session.WorkersMayLeave());
  session.CloseAndDrop();
  EXPECT_TRUE(session.IsDropping());
  EXPECT_TRUE(session.WorkersMayLeave());
  EXPECT_FALSE(session.IsOpen());
  EXPECT_FALSE(session.IsOver());
  EXPECT_FALSE(session.Accept());
  EXPECT_FALSE(session.AcceptFromTask());
  EXPECT_EQ(session.Complete(), Completed::kDropping);
  EXPECT_EQ(session.Complete(), Completed::kDropping);
  EXPECT_EQ(session.Complete(), Completed::kLast);
  EXPECT_TRUE(session.IsOver());
  session.EndDrop();
  EXPECT_FALSE(session.IsDropping());
  EXPECT_TRUE(session.IsOver());
  EXPECT_TRUE(session.WorkersMayLeave());
}

TEST(SessionTest, DroppingWithNothingPendingEndsTheSession) {
  Session session;
  session.Open(0);
  session.CloseAndDrop();
  EXPECT_TRUE(session.IsOver());
  session.EndDrop();
  session.Open(1);
  EXPECT_TRUE(session.IsOpen());
  EXPECT_FALSE(session.IsDropping());
  EXPECT_FALSE(session.WorkersMayLeave());
  EXPECT_TRUE(session.AcceptFromTask());
  EXPECT_EQ(session.Complete(), Completed::kOne);
  EXPECT_EQ(session.Complete(), Completed::kOne);
}

// Two completions race with Close. Whoever closes wakes all workers anyway; if
// something was still pending then, one completion must be told to do so.
TEST(SessionTest, OneCompletionIsToldThatTheDrainEnded) {
  constexpr int kRounds = 2000;
  Session session;
  std::atomic<int> told{0};
  bool over_at_close = false;
  int nobody_told = 0, too_many_told = 0;
  std::barrier start(3, [&]() noexcept { session.Open(2); });
  std::barrier end(3, [&]() noexcept {
    const int count = told.exchange(0);
    nobody_told += count == 0 && !over_at_close;
    too_many_told += count > 1;
  });
  const auto rounds = [&](auto step) {
    for (int i = 0; i != kRounds; ++i) {
      start.arrive_and_wait();
      step();
      end.arrive_and_wait();
    }
  };
  const auto complete = [&] { told += session.Complete() == Completed::kLast; };
  {
    std::jthread one([&] { rounds(complete); });
    std::jthread two([&] { rounds(complete); });
    rounds([&] {
      session.Close();
      over_at_close = session.IsOver();
    });
  }
  EXPECT_EQ(nobody_told, 0);
  EXPECT_EQ(too_many_told, 0);
  EXPECT_TRUE(session.IsOver());
}

TEST(SessionTest, WaitIdleReturnsOnlyWhenNothingIsPending) {
  Session session;
  session.Open(2);
  std::atomic<int> returned{0};
  std::vector<std::jthread> waiters;
  for (int i = 0; i != 3; ++i) {
    waiters.emplace_back([&] {
      session.WaitIdle();
      ++returned;
    });
  }
  EXPECT_EQ(session.Complete(), Completed::kOne);
  GiveFaultsAChance();
  EXPECT_EQ(returned, 0);
  EXPECT_EQ(session.Complete(), Completed::kOne);
  waiters.clear();
  EXPECT_EQ(returned, 3);
}

// The waiter's bit must not be taken for a part of the count.
TEST(SessionTest, AWaiterChangesNeitherAcceptanceNorTheEnd) {
  Session session;
  session.Open(1);
  std::jthread waiter([&] { session.WaitIdle(); });
  GiveFaultsAChance();  // it has announced itself
  EXPECT_TRUE(session.IsOpen());
  EXPECT_TRUE(session.Accept());
  EXPECT_EQ(session.Complete(), Completed::kOne);
  session.Close();
  EXPECT_FALSE(session.Accept());
  EXPECT_TRUE(session.AcceptFromTask());
  EXPECT_EQ(session.Complete(), Completed::kOne);
  EXPECT_EQ(session.Complete(), Completed::kLast);
  waiter.join();
  EXPECT_TRUE(session.IsOver());
  session.Open(0);
  EXPECT_TRUE(session.IsOpen());
}

TEST(SessionTest, AnAcceptanceThatAnotherOvertakesCountsAsWell) {
  workerpool::Session<AfterLoadPlatform> session;
  session.Open(0);
  AfterLoadPlatform::AfterLoad(1, [&] { EXPECT_TRUE(session.Accept()); });
  EXPECT_TRUE(session.Accept());
  session.Close();
  EXPECT_EQ(session.Complete(), Completed::kOne);
  EXPECT_EQ(session.Complete(), Completed::kLast) << "there were two";
}

TEST(SessionTest, AnAcceptanceThatTheClosingOvertakesIsARefusal) {
  workerpool::Session<AfterLoadPlatform> session;
  session.Open(0);
  AfterLoadPlatform::AfterLoad(1, [&] { session.Close(); });
  EXPECT_FALSE(session.Accept());
  EXPECT_TRUE(session.IsOver());
}

// Before the waiter looks again under the mutex, and before it has announced
// itself: nobody would notify it.
TEST(SessionTest, AWaiterThatTheCompletionOvertakesDoesNotSleep) {
  for (const int load : {1, 2}) {
    workerpool::Session<AfterLoadPlatform> session;
    session.Open(1);
    bool completed = false;
    AfterLoadPlatform::AfterLoad(load, [&] {
      EXPECT_EQ(session.Complete(), Completed::kOne);
      completed = true;
    });
    session.WaitIdle();
    EXPECT_TRUE(completed);
  }
}

// Who has no waiter notifies nobody, also after there was one.
TEST(SessionTest, ACompletionNotifiesOnlyIfSomebodyWaits) {
  std::atomic<int>& notifications = NotificationCountingPlatform::notifications;
  notifications = 0;
  workerpool::Session<NotificationCountingPlatform> session;
  session.Open(1);
  {
    std::jthread waiter([&] { session.WaitIdle(); });
    GiveFaultsAChance();  // it has announced itself
    EXPECT_EQ(session.Complete(), Completed::kOne);
  }
  EXPECT_LE(notifications, 1);
  notifications = 0;
  for (int i = 0; i != 3; ++i) {
    EXPECT_TRUE(session.Accept());
    EXPECT_EQ(session.Complete(), Completed::kOne);
  }
  EXPECT_EQ(notifications, 0);
}

// Each waiter comes as close to the completion as chance has it.
TEST(SessionTest, NoWaiterMissesTheCompletionItWaitsFor) {
  constexpr int kRounds = 3000;
  Session session;
  session.Open(0);
  int effect = 0, wrong = 0;  // plain: the session orders all accesses
  std::barrier round(2);
  std::jthread completer([&] {
    for (int i = 0; i != kRounds; ++i) {
      round.arrive_and_wait();
      ++effect;
      if (session.Complete() != Completed::kOne) ++wrong;
    }
  });
  for (int i = 0; i != kRounds; ++i) {
    ASSERT_TRUE(session.Accept());
    round.arrive_and_wait();
    session.WaitIdle();
    ASSERT_EQ(effect, i + 1);
  }
  completer.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace workerpool_test
