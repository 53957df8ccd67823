// Who accepts a task when: one test per cell of this table.
//
//   state                   Submit, TrySubmit   SubmitTask             Enqueue
//   stopped                 refused             starts the pool        holds
//   starting                refused             waits, accepts         holds
//   running                 accepted            accepted               accepted
//   draining, from a task   accepted            accepted               accepted
//   draining, from outside  refused             waits, a new session   holds
//   dropping, from either   refused             refused                holds
//
// A pool being destroyed is in worker_pool_death_test.cpp.
// "Holds" means: not accepted, runs in the next session, and once.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>

#include "drain.h"
#include "errors.h"
#include "gate.h"
#include "pool/mono_queue_pool.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

// Creating the second worker of a pool takes until the gate opens, if there is
// one: Startup stays where a part of the threads exists.
struct StallingPlatform : workerpool::StdPlatform {
  class Thread : public workerpool::StdPlatform::Thread {
   public:
    template <class F>
    Thread(std::string name, F body)
        : workerpool::StdPlatform::Thread(Stall(name), std::move(body)) {}

   private:
    static std::string Stall(const std::string& name) {
      if (gate != nullptr && name.ends_with("-worker-1")) gate->Pass();
      return name;
    }
  };
  static inline Gate* gate = nullptr;
};

// Holds a pool in the state "starting".
template <class Pool>
class Starting {
 public:
  explicit Starting(Pool& pool) {
    StallingPlatform::gate = &gate_;
    starter_ = std::thread([&pool] { pool.Startup(); });
    gate_.AwaitArrivals(1);
  }
  ~Starting() { Finish(); }

  // Returns when the pool runs.
  void Finish() {
    gate_.Open();
    if (starter_.joinable()) starter_.join();
    StallingPlatform::gate = nullptr;
  }

 private:
  Gate gate_;
  std::thread starter_;
};

template <class Strategy>
class WhoAcceptsWhenTest : public ::testing::Test {
 protected:
  using Pool = PoolOf<Strategy, StallingPlatform>;
  using MonoQueuePool = workerpool::BasicMonoQueuePool<Pool>;
  using TaskQueue = workerpool::BasicTaskQueue<StallingPlatform>;

  // Submits by both functions and expects each to be refused.
  void ExpectRefuses(Pool& pool) {
    EXPECT_FALSE(pool.TrySubmit(tally_.Task(0)));
    EXPECT_EQ(SystemErrorOf([&] { pool.Submit(tally_.Task(1)); }), kRefused);
    EXPECT_EQ(tally_.Runs(), 0u);
  }

  void ExpectAccepts(Pool& pool) {
    EXPECT_TRUE(pool.TrySubmit(tally_.Task(0)));
    EXPECT_NO_THROW(pool.Submit(tally_.Task(1)));
  }

  std::size_t RanExactlyOnce() const { return tally_.RanExactlyOnce(); }
  std::size_t Runs() const { return tally_.Runs(); }

  Tally tally_{2};
};

TYPED_TEST_SUITE(WhoAcceptsWhenTest, Strategies, StrategyNames);

// ---- stopped

TYPED_TEST(WhoAcceptsWhenTest, StoppedSubmitIsRefused) {
  typename TestFixture::Pool pool("pool", 2);
  this->ExpectRefuses(pool);
  pool.Startup();
  pool.Shutdown();
  this->ExpectRefuses(pool);
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(this->Runs(), 0u);
}

TYPED_TEST(WhoAcceptsWhenTest, StoppedSubmitTaskStartsThePool) {
  typename TestFixture::MonoQueuePool pool("pool", 8, 2);
  EXPECT_FALSE(pool.IsRunning());
  pool.SubmitTask(this->tally_.Task(0));
  EXPECT_TRUE(pool.IsRunning());
  pool.Shutdown();
  EXPECT_EQ(this->Runs(), 1u);
  pool.SubmitTask(this->tally_.Task(1));
  EXPECT_TRUE(pool.IsRunning());
  pool.Shutdown();
  EXPECT_EQ(this->RanExactlyOnce(), 2u);
}

TYPED_TEST(WhoAcceptsWhenTest, StoppedEnqueueHoldsForTheNextSession) {
  typename TestFixture::TaskQueue queue(8);
  typename TestFixture::Pool pool("pool", 2, queue);
  for (std::size_t session = 0; session != 2; ++session) {
    queue.Enqueue(this->tally_.Task(session));
    EXPECT_FALSE(pool.IsRunning());
    EXPECT_FALSE(queue.IsEmpty());
    EXPECT_EQ(this->Runs(), session);
    pool.Startup();
    pool.Shutdown();
  }
  EXPECT_EQ(this->RanExactlyOnce(), 2u);
}

// ---- starting

TYPED_TEST(WhoAcceptsWhenTest, StartingSubmitIsRefused) {
  typename TestFixture::Pool pool("pool", 2);
  Starting starting(pool);
  this->ExpectRefuses(pool);
  EXPECT_FALSE(pool.IsRunning());
  starting.Finish();
  pool.Shutdown();
  EXPECT_EQ(this->Runs(), 0u);
}

TYPED_TEST(WhoAcceptsWhenTest, StartingSubmitTaskWaitsAndIsAccepted) {
  typename TestFixture::MonoQueuePool pool("pool", 8, 2);
  Starting starting(pool);
  std::atomic<bool> returned{false};
  std::thread submitter([&] {
    pool.SubmitTask(this->tally_.Task(0));
    returned = true;
  });
  GiveFaultsAChance();
  EXPECT_FALSE(returned);
  EXPECT_EQ(this->Runs(), 0u);
  starting.Finish();
  submitter.join();
  pool.Shutdown();
  EXPECT_EQ(this->RanExactlyOnce(), 1u);
}

TYPED_TEST(WhoAcceptsWhenTest, StartingEnqueueHoldsForTheSessionThatOpens) {
  typename TestFixture::TaskQueue queue(8);
  typename TestFixture::Pool pool("pool", 2, queue);
  Starting starting(pool);
  queue.Enqueue(this->tally_.Task(0));
  GiveFaultsAChance();  // the first worker exists, and must not take it yet
  EXPECT_EQ(this->Runs(), 0u);
  EXPECT_FALSE(queue.IsEmpty());
  starting.Finish();
  pool.WaitIdle();
  EXPECT_EQ(this->RanExactlyOnce(), 1u);
}

// ---- running

TYPED_TEST(WhoAcceptsWhenTest, RunningSubmitIsAccepted) {
  typename TestFixture::Pool pool("pool", 2);
  pool.Startup();
  this->ExpectAccepts(pool);
  pool.WaitIdle();
  EXPECT_EQ(this->RanExactlyOnce(), 2u);
}

TYPED_TEST(WhoAcceptsWhenTest, RunningSubmitTaskIsAccepted) {
  typename TestFixture::MonoQueuePool pool("pool", 8, 2);
  pool.Startup();
  pool.SubmitTask(this->tally_.Task(0));
  EXPECT_TRUE(pool.IsRunning());
  pool.Shutdown();
  EXPECT_EQ(this->RanExactlyOnce(), 1u);
}

TYPED_TEST(WhoAcceptsWhenTest, RunningEnqueueIsAcceptedAndWakesAWorker) {
  typename TestFixture::TaskQueue queue(8);
  typename TestFixture::Pool pool("pool", 2, queue);
  pool.Startup();
  GiveFaultsAChance();  // the workers fall asleep
  queue.Enqueue(this->tally_.Task(0));
  pool.WaitIdle();
  EXPECT_EQ(this->RanExactlyOnce(), 1u);
  EXPECT_TRUE(queue.IsEmpty());
}

// ---- draining, from a task of the pool

TYPED_TEST(WhoAcceptsWhenTest, DrainingSubmitFromATaskIsAccepted) {
  typename TestFixture::Pool pool("pool", 2);
  pool.Startup();
  Drain drain(pool, [&] { this->ExpectAccepts(pool); });
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_FALSE(pool.IsRunning());
  EXPECT_EQ(this->RanExactlyOnce(), 2u);
}

TYPED_TEST(WhoAcceptsWhenTest, DrainingSubmitTaskFromATaskStartsNoSession) {
  typename TestFixture::MonoQueuePool pool("pool", 8, 2);
  pool.Startup();
  Drain drain(pool, [&] { pool.SubmitTask(this->tally_.Task(0)); });
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_FALSE(pool.IsRunning());
  EXPECT_EQ(this->RanExactlyOnce(), 1u);
}

TYPED_TEST(WhoAcceptsWhenTest, DrainingEnqueueFromATaskIsAccepted) {
  typename TestFixture::TaskQueue queue(8);
  typename TestFixture::Pool pool("pool", 2, queue);
  pool.Startup();
  Drain drain(pool, [&] { queue.Enqueue(this->tally_.Task(0)); });
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_FALSE(pool.IsRunning());
  EXPECT_EQ(this->RanExactlyOnce(), 1u);
}

// Tasks held for the next session are no reason to hold this one, too.
TYPED_TEST(WhoAcceptsWhenTest,
           DrainingEnqueueFromATaskIsAcceptedThoughSomeAreHeld) {
  typename TestFixture::TaskQueue queue(8);
  typename TestFixture::Pool pool("pool", 2, queue);
  pool.Startup();
  Drain drain(pool, [&] { queue.Enqueue(this->tally_.Task(0)); });
  queue.Enqueue(this->tally_.Task(1));
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_EQ(this->Runs(), 1u);
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(this->RanExactlyOnce(), 2u);
}

// ---- draining, from outside

TYPED_TEST(WhoAcceptsWhenTest, DrainingSubmitFromOutsideIsRefused) {
  typename TestFixture::Pool pool("pool", 2);
  pool.Startup();
  Drain drain(pool);
  this->ExpectRefuses(pool);
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(this->Runs(), 0u);
}

// A worker of some other pool is outside, too.
TYPED_TEST(WhoAcceptsWhenTest, DrainingSubmitFromAnotherPoolsTaskIsRefused) {
  typename TestFixture::Pool pool("pool", 2), other("other", 2);
  pool.Startup();
  other.Startup();
  Drain drain(pool);
  other.Submit([&] {
    this->ExpectRefuses(pool);
    this->tally_.Count(0);
  });
  other.Shutdown();
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_EQ(this->Runs(), 1u);
}

TYPED_TEST(WhoAcceptsWhenTest, DrainingSubmitTaskFromOutsideStartsANewSession) {
  typename TestFixture::MonoQueuePool pool("pool", 8, 2);
  pool.Startup();
  Drain drain(pool);
  std::atomic<bool> returned{false};
  std::thread submitter([&] {
    pool.SubmitTask(this->tally_.Task(0));
    returned = true;
  });
  GiveFaultsAChance();
  EXPECT_FALSE(returned);
  EXPECT_EQ(this->Runs(), 0u);
  drain.Finish();
  submitter.join();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_TRUE(pool.IsRunning());
  pool.Shutdown();
  EXPECT_EQ(this->RanExactlyOnce(), 1u);
}

TYPED_TEST(WhoAcceptsWhenTest,
           DrainingEnqueueFromOutsideHoldsForTheNextSession) {
  typename TestFixture::TaskQueue queue(8);
  typename TestFixture::Pool pool("pool", 2, queue);
  pool.Startup();
  Drain drain(pool);
  queue.Enqueue(this->tally_.Task(0));
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_FALSE(pool.IsRunning());
  EXPECT_EQ(this->Runs(), 0u);
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(this->RanExactlyOnce(), 1u);
}

// ---- dropping: a ShutdownNow is under way; from a task and from outside

TYPED_TEST(WhoAcceptsWhenTest, DroppingSubmitIsRefused) {
  typename TestFixture::Pool pool("pool", 2);
  pool.Startup();
  Drop drop(pool, [&] { this->ExpectRefuses(pool); });
  WaitUntil([&] { return pool.IsDropping(); });
  this->ExpectRefuses(pool);
  drop.Finish();
  EXPECT_TRUE(drop.TaskRan());
  EXPECT_EQ(drop.dropped, 0u);
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(this->Runs(), 0u);
}

// Also when it comes while a Shutdown drains already.
TYPED_TEST(WhoAcceptsWhenTest, DroppingSubmitIsRefusedDuringAShutdown) {
  typename TestFixture::Pool pool("pool", 2);
  pool.Startup();
  Drain drain(pool, [&] { this->ExpectRefuses(pool); });
  std::thread dropper([&] { EXPECT_EQ(pool.ShutdownNow(), 0u); });
  WaitUntil([&] { return pool.IsDropping(); });
  this->ExpectRefuses(pool);
  drain.Finish();
  dropper.join();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_EQ(this->Runs(), 0u);
}

TYPED_TEST(WhoAcceptsWhenTest, DroppingSubmitTaskIsRefused) {
  typename TestFixture::MonoQueuePool pool("pool", 8, 2);
  pool.Startup();
  const auto expect_refused = [&] {
    EXPECT_EQ(SystemErrorOf([&] { pool.SubmitTask(this->tally_.Task(0)); }),
              kRefused);
  };
  Drop drop(pool, expect_refused);
  expect_refused();
  drop.Finish();
  EXPECT_TRUE(drop.TaskRan());
  EXPECT_FALSE(pool.IsRunning());
  EXPECT_EQ(this->Runs(), 0u);
  pool.SubmitTask(this->tally_.Task(0));
  pool.Shutdown();
  EXPECT_EQ(this->RanExactlyOnce(), 1u);
}

TYPED_TEST(WhoAcceptsWhenTest, DroppingEnqueueHoldsForTheNextSession) {
  typename TestFixture::TaskQueue queue(8);
  typename TestFixture::Pool pool("pool", 2, queue);
  pool.Startup();
  Drop drop(pool, [&] { queue.Enqueue(this->tally_.Task(0)); });
  queue.Enqueue(this->tally_.Task(1));
  drop.Finish();
  EXPECT_TRUE(drop.TaskRan());
  EXPECT_EQ(drop.dropped, 0u) << "held is not accepted";
  EXPECT_EQ(this->Runs(), 0u);
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(this->RanExactlyOnce(), 2u);
}

}  // namespace
}  // namespace workerpool_test
