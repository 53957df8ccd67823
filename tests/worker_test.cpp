// The worker's loop, on one thread: what it asks of its queue, its session and
// its way to wait.
#include "pool/worker.h"

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>
#include <utility>

#include "pool/session.h"
#include "pool/std_platform.h"
#include "pool/task_ring.h"
#include "pool/wait_strategy.h"

namespace workerpool_test {
namespace {

using workerpool::StdPlatform;
using Ring = workerpool::TaskRing<StdPlatform>;

// Instead of sleeping, does what the test wants to happen meanwhile.
class ScriptedWait {
 public:
  struct PerWorker {};

  explicit ScriptedWait(const workerpool::WaitOptions&) {}
  void Notify() { ++notified; }
  void NotifyAll() { ++notified_all; }
  template <class Holds, class Draining>
  void Wait(PerWorker&, Holds holds, Draining draining) {
    ++waited;
    held_before_sleep |= holds();
    waited_draining += draining();
    if (while_asleep) while_asleep();
    held_after_sleep &= holds();
  }
  void Found(PerWorker&) { ++found; }

  int notified = 0, notified_all = 0, found = 0;
  int waited = 0, waited_draining = 0;
  bool held_before_sleep = false, held_after_sleep = true;
  std::function<void()> while_asleep;
};

static_assert(workerpool::WaitStrategy<ScriptedWait>);

class WorkerTest : public ::testing::Test {
 protected:
  using OnException = std::function<void(std::exception_ptr)>;

  void Accept(std::function<void()> task) {
    ASSERT_TRUE(place_.session.AcceptFromTask());
    place_.queue.Push([this, task = std::move(task)] {
      task();
      ++runs_;
    });
  }
  void Close() { place_.session.Close(); }
  void Work() {
    workerpool::Worker<StdPlatform, ScriptedWait, Ring, OnException>(
        place_, on_exception_)
        .WorkUntilOver();
  }

  workerpool::Workplace<StdPlatform, ScriptedWait, Ring> place_{
      {}, Ring(4), ScriptedWait({})};
  OnException on_exception_ = [this](std::exception_ptr) { ++exceptions_; };
  int runs_ = 0, exceptions_ = 0;
};

TEST_F(WorkerTest, LeavesASessionThatIsOver) {
  Work();
  EXPECT_EQ(place_.wait.waited, 0);
  EXPECT_EQ(runs_, 0);
}

TEST_F(WorkerTest, RunsWhatIsQueuedBeforeItLeavesADrain) {
  place_.session.Open(0);
  for (int i = 0; i != 10; ++i) Accept([] {});
  Close();
  Work();
  EXPECT_EQ(runs_, 10);
  EXPECT_TRUE(place_.session.IsOver());
}

TEST_F(WorkerTest, ReportsEachTaskItFinds) {
  place_.session.Open(0);
  for (int i = 0; i != 10; ++i) Accept([] {});
  Close();
  Work();
  EXPECT_EQ(place_.wait.found, 10);
  EXPECT_EQ(place_.wait.waited, 0);
  EXPECT_EQ(runs_, 10);
}

TEST_F(WorkerTest, TheWorkerThatEndsTheSessionWakesTheOthersOnce) {
  place_.session.Open(0);
  for (int i = 0; i != 3; ++i) Accept([] {});
  Close();
  Work();
  EXPECT_EQ(place_.wait.notified_all, 1);
  EXPECT_EQ(runs_, 3);
}

TEST_F(WorkerTest, SleepsOnlyWhileThereIsNeitherWorkNorAnEnd) {
  place_.session.Open(0);
  place_.wait.while_asleep = [&] {
    if (place_.wait.waited == 1) {
      Accept([] {});
    } else {
      Close();
    }
  };
  Work();
  EXPECT_EQ(place_.wait.waited, 2);
  EXPECT_EQ(place_.wait.waited_draining, 0);
  EXPECT_FALSE(place_.wait.held_before_sleep);
  EXPECT_TRUE(place_.wait.held_after_sleep);
  EXPECT_EQ(runs_, 1);
}

// Something else is still running, and might submit.
TEST_F(WorkerTest, WaitsInADrainForWhatIsStillRunning) {
  place_.session.Open(1);
  Close();
  place_.wait.while_asleep = [&] {
    if (place_.wait.waited == 1) {
      Accept([] {});
    } else {
      place_.Complete();
    }
  };
  Work();
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(place_.wait.waited, 2);
  EXPECT_EQ(place_.wait.waited_draining, 2) << "the strategy knows of it";
  EXPECT_EQ(place_.wait.notified_all, 1);
}

// What is queued then is for whoever drops.
TEST_F(WorkerTest, LeavesAfterItsTaskWhenTheRestIsDropped) {
  place_.session.Open(0);
  Accept([&] { place_.session.CloseAndDrop(); });
  Accept([] {});
  Work();
  EXPECT_EQ(runs_, 1);
  EXPECT_FALSE(place_.session.IsOver());
  EXPECT_EQ(place_.DropUntilOver(), 1u);
  EXPECT_EQ(runs_, 1);
  EXPECT_TRUE(place_.session.IsOver());
  EXPECT_EQ(place_.wait.notified_all, 1) << "the last one ended the session";
}

TEST_F(WorkerTest, LeavesFromItsWaitWhenTheRestIsDropped) {
  place_.session.Open(1);
  place_.wait.while_asleep = [&] { place_.session.CloseAndDrop(); };
  Work();
  EXPECT_EQ(place_.wait.waited, 1);
  EXPECT_TRUE(place_.wait.held_after_sleep) << "its predicate knows of it";
}

// Whoever drops waits for what is running, and for what is still to come from
// a submitter that was accepted before.
TEST_F(WorkerTest, DroppingWaitsForTheEndOfTheSession) {
  place_.session.Open(2);
  place_.session.CloseAndDrop();
  place_.wait.while_asleep = [&] {
    if (place_.wait.waited == 1) {
      place_.queue.Push([this] { ++runs_; });
    } else {
      place_.Complete();
    }
  };
  EXPECT_EQ(place_.DropUntilOver(), 1u);
  EXPECT_EQ(place_.wait.waited, 2);
  EXPECT_EQ(runs_, 0);
}

TEST_F(WorkerTest, ADroppedTaskDiesBeforeItIsDone) {
  using Session = workerpool::Session<StdPlatform>;
  struct LooksWhenItDies {
    const Session* session;
    bool* was_over;
    LooksWhenItDies(const Session* s, bool* over)
        : session(s), was_over(over) {}
    LooksWhenItDies(LooksWhenItDies&& other) noexcept
        : session(std::exchange(other.session, nullptr)),
          was_over(other.was_over) {}
    ~LooksWhenItDies() {
      if (session != nullptr) *was_over = session->IsOver();
    }
    void operator()() const {}
  };
  bool was_over = true;
  place_.session.Open(1);
  place_.queue.Push(LooksWhenItDies(&place_.session, &was_over));
  place_.session.CloseAndDrop();
  EXPECT_EQ(place_.DropUntilOver(), 1u);
  EXPECT_FALSE(was_over);
}

TEST_F(WorkerTest, ATaskThatThrowsIsReportedAndDone) {
  place_.session.Open(0);
  Accept([] { throw 1; });
  Accept([] {});
  Close();
  Work();
  EXPECT_EQ(exceptions_, 1);
  EXPECT_EQ(runs_, 1);
  EXPECT_TRUE(place_.session.IsOver());
}

}  // namespace
}  // namespace workerpool_test
