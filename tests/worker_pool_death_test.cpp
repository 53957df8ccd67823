// Misuse that no exception can report ends the process with one line; and a
// process may end while a static pool runs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#include "drain.h"
#include "pool/mono_queue_pool.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

template <class Strategy>
class WorkerPoolDeathTest : public ::testing::Test {
 protected:
  // The tested code creates threads: run it in a process of its own.
  void SetUp() override {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TYPED_TEST_SUITE(WorkerPoolDeathTest, Strategies, StrategyNames);

template <class Pool>
void DestroyFromATask() {
  auto* pool = new Pool("pool", 1);
  pool->Startup();
  pool->Submit([pool] { pool->~Pool(); });
  pool->WaitIdle();
}

// "." matches no end of line: the whole of stderr is one line.
TYPED_TEST(WorkerPoolDeathTest,
           DestroyingAPoolFromItsTaskPrintsALineAndAborts) {
  EXPECT_EXIT(DestroyFromATask<PoolOf<TypeParam>>(),
              ::testing::KilledBySignal(SIGABRT),
              "^workerpool: .*destroyed by one of its own tasks\n$");
}

// The last owner of a pool may be a task's capture.
template <class Pool>
void DestroyFromACapture() {
  auto owner = std::make_shared<Pool>("pool", 1);
  owner->Startup();
  Gate gate;
  owner->Submit([owner, &gate] { gate.Pass(); });
  owner.reset();
  gate.Open();
  for (;;) pause();
}

TYPED_TEST(WorkerPoolDeathTest,
           DestroyingAPoolFromACapturePrintsALineAndAborts) {
  EXPECT_EXIT(DestroyFromACapture<PoolOf<TypeParam>>(),
              ::testing::KilledBySignal(SIGABRT),
              "^workerpool: .*destroyed by one of its own tasks\n$");
}

// Holds a pool in its destructor and submits by `submit` until that is
// noticed. A task accepted just before the drain began is no error.
template <class Pool, class Submit>
void SubmitDuringDestruction(Pool* pool, Submit submit) {
  Gate never_opens;
  if constexpr (requires { pool->SubmitTask([] {}); }) {
    pool->SubmitTask([&] { never_opens.Pass(); });
  } else {
    pool->Submit([&] { never_opens.Pass(); });
  }
  never_opens.AwaitArrivals(1);
  std::thread destroyer([pool] { pool->~Pool(); });
  WaitUntil([&] { return !pool->IsRunning(); });
  submit();
  std::_Exit(0);
}

#if !defined(NDEBUG)

constexpr const char* kDiagnosis =
    "^workerpool: Submit to a pool that is being destroyed\n$";

TYPED_TEST(WorkerPoolDeathTest, SubmitToAPoolBeingDestroyedIsDiagnosed) {
  using Pool = PoolOf<TypeParam>;
  const auto misuse = [] {
    auto* pool = new Pool("pool", 1);
    pool->Startup();
    SubmitDuringDestruction(pool, [pool] { pool->Submit([] {}); });
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), kDiagnosis);
}

TYPED_TEST(WorkerPoolDeathTest, TrySubmitToAPoolBeingDestroyedIsDiagnosed) {
  using Pool = PoolOf<TypeParam>;
  const auto misuse = [] {
    auto* pool = new Pool("pool", 1);
    pool->Startup();
    SubmitDuringDestruction(pool, [pool] { (void)pool->TrySubmit([] {}); });
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), kDiagnosis);
}

TYPED_TEST(WorkerPoolDeathTest, SubmitTaskToAPoolBeingDestroyedIsDiagnosed) {
  using Pool = workerpool::BasicMonoQueuePool<PoolOf<TypeParam>>;
  const auto misuse = [] {
    auto* pool = new Pool("pool", 8, 1);
    SubmitDuringDestruction(pool, [pool] { pool->SubmitTask([] {}); });
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), kDiagnosis);
}

TYPED_TEST(WorkerPoolDeathTest, EnqueueToAPoolBeingDestroyedIsDiagnosed) {
  using Pool = PoolOf<TypeParam>;
  const auto misuse = [] {
    workerpool::TaskQueue queue(8);
    auto* pool = new Pool("pool", 1, queue);
    pool->Startup();
    SubmitDuringDestruction(pool, [&] { queue.Enqueue([] {}); });
  };
  EXPECT_EXIT(misuse(), ::testing::KilledBySignal(SIGABRT), kDiagnosis);
}

#endif  // !defined(NDEBUG)

// A task submits while the destructor drains: that is no misuse.
TYPED_TEST(WorkerPoolDeathTest, ATaskOfAPoolBeingDestroyedMaySubmit) {
  using Pool = PoolOf<TypeParam>;
  const auto use = [] {
    Tally tally(1);
    Gate gate;
    auto* pool = new Pool("pool", 1);
    pool->Startup();
    pool->Submit([&] {
      gate.Pass();
      pool->Submit(tally.Task(0));
    });
    std::thread destroyer([pool] { pool->~Pool(); });
    WaitUntil([&] { return !pool->IsRunning(); });
    gate.Open();
    destroyer.join();
    std::_Exit(tally.RanExactlyOnce() == 1 ? 0 : 1);
  };
  EXPECT_EXIT(use(), ::testing::ExitedWithCode(0), "");
}

template <class Pool>
void EndProcessWhileAStaticPoolRuns() {
  static Tally tally(100);
  std::atexit([] {
    // Registered before the pool exists, so it runs after its destructor.
    if (tally.RanExactlyOnce() != 100) std::_Exit(1);
  });
  static Pool pool("pool", 2);
  pool.Startup();
  for (std::size_t i = 0; i != 100; ++i) pool.Submit(tally.Task(i));
  std::exit(0);
}

TYPED_TEST(WorkerPoolDeathTest, AStaticPoolRunsItsTasksBeforeTheProcessEnds) {
  EXPECT_EXIT(EndProcessWhileAStaticPoolRuns<PoolOf<TypeParam>>(),
              ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace workerpool_test
