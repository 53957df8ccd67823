// TaskQueue holds what no session would accept, hands it over in order, and
// lets a task be taken back.
#include "pool/task_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "drain.h"
#include "gate.h"
#include "held_worker.h"
#include "odd_platforms.h"
#include "pool/task_ring.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

using workerpool::BasicTaskQueue;
using workerpool::StdPlatform;
using workerpool::TaskQueue;

template <class Strategy>
class TaskQueueTest : public ::testing::Test {};

TYPED_TEST_SUITE(TaskQueueTest, Strategies, StrategyNames);

TYPED_TEST(TaskQueueTest, HeldTasksEnterInTheirOrderWhenTheSessionOpens) {
  for (const std::size_t size : {1u, 8u, 2048u}) {
    std::vector<int> order;
    TaskQueue queue(size);
    PoolOf<TypeParam> pool("pool", 1, queue);
    for (int i = 0; i != 1000; ++i) {
      queue.Enqueue([&order, i] { order.push_back(i); });
    }
    pool.Startup();
    queue.Enqueue([&order] { order.push_back(1000); });
    pool.Shutdown();
    ASSERT_EQ(order.size(), 1001u);
    for (int i = 0; i != 1001; ++i) ASSERT_EQ(order[static_cast<size_t>(i)], i);
  }
}

// Were "refused" and "so hold it" two steps, the session could open between
// them, and the task would be held while the pool runs.
TYPED_TEST(TaskQueueTest, ATaskEnqueuedWhileTheSessionOpensRunsInIt) {
  Tally tally(1);
  BasicTaskQueue<BeforeLockPlatform> queue(8);
  PoolOf<TypeParam, BeforeLockPlatform> pool("pool", 2, queue);
  BeforeLockPlatform::before_next_lock = [&] { pool.Startup(); };
  queue.Enqueue(tally.Task(0));
  EXPECT_TRUE(pool.IsRunning());
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

// WaitIdle counts the held tasks from the moment Startup has returned.
TYPED_TEST(TaskQueueTest, WaitIdleAfterStartupWaitsForTasksThatWereHeld) {
  Tally tally(50);
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 2, queue);
  for (std::size_t i = 0; i != 50; ++i) queue.Enqueue(tally.Task(i));
  pool.Startup();
  pool.WaitIdle();
  EXPECT_EQ(tally.RanExactlyOnce(), 50u);
}

TYPED_TEST(TaskQueueTest, TasksEnqueuedBeforeThePoolExistsAreHeld) {
  Tally tally(2);
  TaskQueue queue(8);
  queue.Enqueue(tally.Task(0));
  PoolOf<TypeParam> pool("pool", 2, queue);
  queue.Enqueue(tally.Task(1));
  EXPECT_EQ(tally.Runs(), 0u);
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 2u);
}

TYPED_TEST(TaskQueueTest, HeldTasksNeverEnterADrain) {
  Tally tally(20);
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 2, queue);
  pool.Startup();
  Drain drain(pool);
  for (std::size_t i = 0; i != 20; ++i) queue.Enqueue(tally.Task(i));
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_EQ(tally.Runs(), 0u);
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 20u);
}

TYPED_TEST(TaskQueueTest, HeldTasksDieWithTheQueueUnrun) {
  Tally tally(1);
  auto capture = std::make_shared<int>(0);
  {
    TaskQueue queue(8);
    {
      PoolOf<TypeParam> pool("pool", 2, queue);
      queue.Enqueue([&tally, capture] { tally.Count(0); });
    }
    EXPECT_EQ(capture.use_count(), 2);
  }
  EXPECT_EQ(capture.use_count(), 1);
  EXPECT_EQ(tally.Runs(), 0u);
}

// No thread can be created while it says so.
struct FailingPlatform : StdPlatform {
  class Thread : public StdPlatform::Thread {
   public:
    template <class F>
    Thread(std::string name, F body)
        : StdPlatform::Thread(Checked(name), std::move(body)) {}

   private:
    static std::string Checked(const std::string& name) {
      if (fails && name.ends_with("-worker-1")) {
        throw std::system_error(
            std::make_error_code(std::errc::resource_unavailable_try_again));
      }
      return name;
    }
  };
  static inline bool fails = false;
};

TYPED_TEST(TaskQueueTest, HeldTasksSurviveAStartupThatFails) {
  Tally tally(30);
  BasicTaskQueue<FailingPlatform> queue(8);
  PoolOf<TypeParam, FailingPlatform> pool("pool", 2, queue);
  for (std::size_t i = 0; i != 30; ++i) queue.Enqueue(tally.Task(i));
  FailingPlatform::fails = true;
  EXPECT_THROW(pool.Startup(), std::system_error);
  FailingPlatform::fails = false;
  EXPECT_FALSE(pool.IsRunning());
  EXPECT_EQ(tally.Runs(), 0u);
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 30u);
}

TYPED_TEST(TaskQueueTest, ASecondPoolIsAnErrorAndTheFirstKeepsTheQueue) {
  using Pool = PoolOf<TypeParam>;
  Tally tally(1);
  TaskQueue queue(8);
  Pool pool("pool", 1, queue);
  EXPECT_THROW(Pool("second", 1, queue), std::invalid_argument);
  pool.Startup();
  queue.Enqueue(tally.Task(0));
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TYPED_TEST(TaskQueueTest, APoolMayFollowOneThatWasDestroyed) {
  Tally tally(3);
  TaskQueue queue(8);
  for (std::size_t i = 0; i != 3; ++i) {
    PoolOf<TypeParam> pool("pool", 1, queue);
    pool.Startup();
    queue.Enqueue(tally.Task(i));
  }
  EXPECT_EQ(tally.RanExactlyOnce(), 3u);
}

TYPED_TEST(TaskQueueTest, DequeueReturnsHeldTasksInTheirOrder) {
  Tally tally(3);
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 1, queue);
  for (std::size_t i = 0; i != 3; ++i) queue.Enqueue(tally.Task(i));
  std::function<void()> task;
  for (std::size_t i = 0; i != 2; ++i) {
    ASSERT_TRUE(queue.Dequeue(task));
    task();
    EXPECT_EQ(tally.RanExactlyOnce(), i + 1);
  }
  pool.Startup();  // runs the one that is left
  pool.Shutdown();
  EXPECT_TRUE(queue.IsEmpty());
  EXPECT_FALSE(queue.Dequeue(task));
  EXPECT_EQ(tally.RanExactlyOnce(), 3u);
}

// A task that was submitted to the pool is no std::function, but leaves the
// queue as one. The only worker is busy, so all tasks stay queued.
TYPED_TEST(TaskQueueTest, DequeueReturnsAcceptedTasksOfBothKinds) {
  Tally tally(3);
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 1, queue);
  pool.Startup();
  HeldWorker held(pool, tally.Task(0));
  queue.Enqueue(tally.Task(1));
  pool.Submit([&, owned = std::make_unique<int>(2)] {
    tally.Count(static_cast<std::size_t>(*owned));
  });
  EXPECT_FALSE(queue.IsEmpty());
  for (int i = 0; i != 2; ++i) {
    std::function<void()> task;
    EXPECT_TRUE(queue.Dequeue(task));
    EXPECT_EQ(tally.Runs(), static_cast<std::size_t>(i));
    task();
  }
  EXPECT_TRUE(queue.IsEmpty());
  held.Release();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 3u);
}

// What is taken out is pending no more: with it gone, the wait is over.
TYPED_TEST(TaskQueueTest, WaitIdleDoesNotWaitForATaskThatWasTakenOut) {
  Tally tally(2);
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 1, queue);
  pool.Startup();
  HeldWorker held(pool, tally.Task(0));
  queue.Enqueue(tally.Task(1));
  std::function<void()> taken;
  EXPECT_TRUE(queue.Dequeue(taken));
  held.Release();
  pool.WaitIdle();
  EXPECT_EQ(tally.Runs(), 1u);
  taken();
  EXPECT_EQ(tally.RanExactlyOnce(), 2u);
}

// The task that is taken out last ends the session: all workers must notice.
TYPED_TEST(TaskQueueTest, ShutdownReturnsWhenTheLastTaskIsTakenOut) {
  Gate gate;
  Tally tally(1);
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 1, queue);
  pool.Startup();
  Drain drain(pool, [&] {
    queue.Enqueue(tally.Task(0));  // accepted: we are on a worker
    std::function<void()> taken;
    std::thread([&] { EXPECT_TRUE(queue.Dequeue(taken)); }).join();
  });
  drain.Finish();
  EXPECT_TRUE(drain.TaskRan());
  EXPECT_EQ(tally.Runs(), 0u);
}

// A callable whose next move, once armed, stops at a gate.
struct StopsWhenMoved {
  StopsWhenMoved(Gate& where, std::atomic<bool>& when)
      : gate(&where), armed(&when) {}
  StopsWhenMoved(StopsWhenMoved&& other) noexcept
      : gate(other.gate), armed(other.armed) {
    if (armed->exchange(false)) gate->Pass();
  }
  void operator()() const {}

  Gate* gate;
  std::atomic<bool>* armed;
};

// The worker has gone to sleep when the task that was taken out completes: the
// one outside ends the session and must wake it.
TYPED_TEST(TaskQueueTest, ATaskTakenOutLastEndsTheDrainOfSleepingWorkers) {
  Gate moving;
  std::atomic<bool> armed{false};
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 1, queue);
  pool.Startup();
  Tally tally(1);
  std::jthread taker;
  {
    Drain drain(pool, [&] {
      tally.Count(0);
      pool.Submit(StopsWhenMoved(moving, armed));
      armed = true;
      taker = std::jthread([&] {
        std::function<void()> taken;
        EXPECT_TRUE(queue.Dequeue(taken));
      });
      moving.AwaitArrivals(1);
    });
    std::jthread opener([&] {
      moving.AwaitArrivals(1);
      GiveFaultsAChance();  // the worker finds nothing, and sleeps
      moving.Open();
    });
    drain.Finish();
  }
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

// A submitter has its place in the queue, but its task is not there yet.
TYPED_TEST(TaskQueueTest, DequeueWaitsForATaskThatIsAboutToBePublished) {
  Gate busy, moving;
  std::atomic<bool> armed{true};
  BasicTaskQueue<AtPausePlatform> queue(8);
  PoolOf<TypeParam, AtPausePlatform> pool("pool", 1, queue);
  pool.Startup();
  pool.Submit([&] { busy.Pass(); });
  busy.AwaitArrivals(1);
  std::jthread submitter([&] { pool.Submit(StopsWhenMoved(moving, armed)); });
  moving.AwaitArrivals(1);
  AtPausePlatform::at_next_pause = [&] { moving.Open(); };
  std::function<void()> taken;
  EXPECT_TRUE(queue.Dequeue(taken));
  EXPECT_TRUE(taken);
  submitter.join();
  busy.Open();
}

// Out of memory at the third task, and a Pop that fails every other time, as
// it may.
class ReluctantQueue : public workerpool::TaskRing<StdPlatform> {
 public:
  using TaskRing::TaskRing;

  template <class F>
  void Push(F&& f) {
    if (pushes_until_failure-- == 0) throw std::bad_alloc();
    TaskRing::Push(std::forward<F>(f));
  }
  bool Pop(workerpool::Task& task) {
    return pops_++ % 2 == 1 && TaskRing::Pop(task);
  }

  static inline int pushes_until_failure = 0;

 private:
  std::atomic<unsigned> pops_{0};
};

TYPED_TEST(TaskQueueTest, HeldTasksKeepTheirOrderWhenTheThirdCannotEnter) {
  std::vector<int> order;
  TaskQueue queue(8);
  workerpool::BasicWorkerPool<StdPlatform,
                              typename TypeParam::template Wait<StdPlatform>,
                              ReluctantQueue>
      pool("pool", 1, queue);
  for (int i = 0; i != 4; ++i) {
    queue.Enqueue([&order, i] { order.push_back(i); });
  }
  ReluctantQueue::pushes_until_failure = 2;
  EXPECT_THROW(pool.Startup(), std::bad_alloc);
  EXPECT_TRUE(order.empty());
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

// Moving a callable is user code: it may call the queue it is taken from.
struct AsksWhenMoved {
  explicit AsksWhenMoved(TaskQueue& which) : queue(&which) {}
  AsksWhenMoved(AsksWhenMoved&& other) noexcept : queue(other.queue) {
    static_cast<void>(queue->IsEmpty());
  }
  void operator()() const {}

  TaskQueue* queue;
};

TYPED_TEST(TaskQueueTest, DequeueMovesTasksOutsideItsLock) {
  Tally tally(1);
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 1, queue);
  pool.Startup();
  HeldWorker held(pool, tally.Task(0));
  pool.Submit(AsksWhenMoved(queue));
  std::function<void()> taken;
  EXPECT_TRUE(queue.Dequeue(taken));
  held.Release();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TYPED_TEST(TaskQueueTest, EnqueueAndDequeueAgainstSessionsLoseNoTask) {
  constexpr std::size_t kTasks = 3000;
  Tally tally(kTasks);
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 2, queue);
  std::atomic<bool> enqueued{false};
  {
    std::jthread enqueuer([&] {
      for (std::size_t i = 0; i != kTasks; ++i) queue.Enqueue(tally.Task(i));
      enqueued = true;
    });
    std::jthread dequeuer([&] {
      std::function<void()> task;
      while (!enqueued) {
        if (queue.Dequeue(task)) task();
      }
    });
    while (!enqueued) {
      pool.Startup();
      pool.Shutdown();
    }
  }
  pool.Startup();
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), kTasks);
  EXPECT_TRUE(queue.IsEmpty());
}

// It may leave an empty place behind, which is never taken for a task.
TYPED_TEST(TaskQueueTest, ASubmitThatThrewLeavesNothingToDequeue) {
  struct Throws {
    Throws() = default;
    Throws(Throws&&) noexcept(false) { throw std::runtime_error("no"); }
    void operator()() {}
  };
  Tally tally(1);
  TaskQueue queue(8);
  PoolOf<TypeParam> pool("pool", 1, queue);
  pool.Startup();
  EXPECT_THROW(pool.Submit(Throws()), std::runtime_error);
  std::function<void()> task;
  EXPECT_FALSE(queue.Dequeue(task));
  EXPECT_TRUE(queue.IsEmpty());
  queue.Enqueue(tally.Task(0));
  pool.Shutdown();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TEST(TaskQueueWithoutPoolTest, HoldsTasksUntilTheyAreTaken) {
  Tally tally(1);
  TaskQueue queue(8);
  std::function<void()> task;
  EXPECT_TRUE(queue.IsEmpty());
  EXPECT_FALSE(queue.Dequeue(task));
  EXPECT_FALSE(task);
  queue.Enqueue(tally.Task(0));
  EXPECT_FALSE(queue.IsEmpty());
  EXPECT_TRUE(queue.Dequeue(task));
  EXPECT_TRUE(queue.IsEmpty());
  task();
  EXPECT_EQ(tally.RanExactlyOnce(), 1u);
}

TEST(TaskQueueWithoutPoolTest, SizeZeroAndEmptyTasksAreInvalid) {
  EXPECT_THROW(TaskQueue(0), std::invalid_argument);
  TaskQueue queue(1);
  EXPECT_EQ(queue.SizeHint(), 1u);
  EXPECT_THROW(queue.Enqueue(nullptr), std::invalid_argument);
  EXPECT_THROW(queue.Enqueue(std::function<void()>()), std::invalid_argument);
  EXPECT_TRUE(queue.IsEmpty());
}

// A pool from which nothing comes before the test says so.
class SlowSink final : public workerpool::TaskSink {
 public:
  bool TryAccept(workerpool::Task&) override { return false; }
  bool TakeOut(workerpool::Task&) override {
    gates[next_++].Pass();
    return false;
  }
  bool LooksEmpty() const override { return false; }
  void PushHeld(workerpool::Task&&) override {}
  void PopHeld(workerpool::Task&) override {}
  void Open(std::size_t) override { opened = true; }

  std::array<Gate, 2> gates;
  std::atomic<bool> opened{false};

 private:
  std::atomic<std::size_t> next_{0};
};

// There was no pool to take from: none is waited for.
TEST(TaskQueueWithoutPoolTest, ADequeueBeforeThereIsAPoolHoldsUpNone) {
  TaskQueue queue(8);
  std::function<void()> task;
  EXPECT_FALSE(queue.Dequeue(task));
  SlowSink sink;
  queue.Attach(sink);
  queue.Detach(sink);
  EXPECT_FALSE(queue.Dequeue(task));
}

// The pool may be gone as soon as the queue has let go of it.
TEST(TaskQueueWithoutPoolTest, DetachWaitsForEveryDequeueUnderWay) {
  TaskQueue queue(8);
  SlowSink sink;
  queue.Attach(sink);
  const auto take = [&] {
    std::function<void()> task;
    EXPECT_FALSE(queue.Dequeue(task));
  };
  std::jthread one(take), two(take);
  for (Gate& gate : sink.gates) gate.AwaitArrivals(1);
  std::atomic<bool> detached{false};
  std::jthread detacher([&] {
    queue.Detach(sink);
    detached = true;
  });
  WaitUntil([&] { return queue.IsEmpty(); });  // it asks the sink no more
  for (Gate& gate : sink.gates) {
    GiveFaultsAChance();
    EXPECT_FALSE(detached);
    gate.Open();
  }
  detacher.join();
  EXPECT_TRUE(detached);
}

// It might take a task that the session has not counted yet.
TEST(TaskQueueWithoutPoolTest, ASessionOpensAfterEveryDequeueUnderWay) {
  TaskQueue queue(8);
  SlowSink sink;
  queue.Attach(sink);
  const auto take = [&] {
    std::function<void()> task;
    EXPECT_FALSE(queue.Dequeue(task));
  };
  std::jthread one(take), two(take);
  for (Gate& gate : sink.gates) gate.AwaitArrivals(1);
  std::jthread opener([&] { queue.EnterSession(sink); });
  for (Gate& gate : sink.gates) {
    GiveFaultsAChance();
    EXPECT_FALSE(sink.opened);
    gate.Open();
  }
  opener.join();
  EXPECT_TRUE(sink.opened);
  queue.Detach(sink);
}

// A capture's destructor runs under none of the queue's locks.
TEST(TaskQueueWithoutPoolTest, TheDestructorOfACaptureMayUseTheQueue) {
  Tally tally(2);
  TaskQueue queue(8);
  std::function<void()> task;
  {
    std::shared_ptr<void> capture(nullptr,
                                  [&](void*) { queue.Enqueue(tally.Task(1)); });
    queue.Enqueue([&, capture = std::move(capture)] { tally.Count(0); });
  }
  ASSERT_TRUE(queue.Dequeue(task));
  task();
  ASSERT_FALSE(queue.Dequeue(task));
  task = nullptr;  // the capture enqueues
  ASSERT_TRUE(queue.Dequeue(task));
  task();
  EXPECT_EQ(tally.RanExactlyOnce(), 2u);
}

}  // namespace
}  // namespace workerpool_test
