// A process forks while a pool runs. Only the forking thread exists in the
// child: there the pool must not be used or destroyed, so the child ends by
// _exit, quick_exit or exec. Each test is a process of its own.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>

#include "held_worker.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

template <class Strategy>
class ForkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TYPED_TEST_SUITE(ForkTest, Strategies, StrategyNames);

// Runs body() in a child, which does not outlive its parent.
template <class Body>
pid_t Fork(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    body();
    _exit(99);  // body() has returned
  }
  return child;
}

// The child's exit code; -1 if a signal ended it.
int ExitCodeOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Ends the test's process: 0 if all is well, else the number of what is not.
#define REQUIRE_OR_EXIT(number, condition) \
  if (!(condition)) std::_Exit(number)

// Forks while a worker runs a task and another task is queued, then goes on.
template <class Pool, class Body>
void ForkInTheMiddle(Pool& pool, Body body) {
  Tally tally(1);
  {
    const HeldWorker held(pool);
    pool.Submit(tally.Task(0));
    REQUIRE_OR_EXIT(1, ExitCodeOf(Fork(body)) == 0);
  }
  pool.WaitIdle();
  REQUIRE_OR_EXIT(2, tally.RanExactlyOnce() == 1);
  // Now all workers sleep.
  GiveFaultsAChance();
  REQUIRE_OR_EXIT(3, ExitCodeOf(Fork(body)) == 0);
  pool.Shutdown();
  std::exit(0);
}

template <class Pool, class Body>
void ForkWhileAStaticPoolRuns(Body body) {
  static Pool pool("pool", 1);
  pool.Startup();
  ForkInTheMiddle(pool, body);
}

TYPED_TEST(ForkTest, AChildOfARunningStaticPoolMayEndWithoutDestructors) {
  using Pool = PoolOf<TypeParam>;
  EXPECT_EXIT(ForkWhileAStaticPoolRuns<Pool>([] { _exit(0); }),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(ForkWhileAStaticPoolRuns<Pool>([] { std::quick_exit(0); }),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(ForkWhileAStaticPoolRuns<Pool>(
                  [] { execlp("true", "true", static_cast<char*>(nullptr)); }),
              ::testing::ExitedWithCode(0), "");
}

// exit() destroys objects with static storage duration alone.
template <class Pool>
void ForkWhileALocalPoolRuns() {
  Pool pool("pool", 1);
  pool.Startup();
  ForkInTheMiddle(pool, [] { std::exit(0); });
}

template <class Pool>
void ForkWhileAPoolRunsThatIsNeverDestroyed() {
  static Pool& pool = *new Pool("pool", 1);
  pool.Startup();
  ForkInTheMiddle(pool, [] { std::exit(0); });
}

TYPED_TEST(ForkTest, AChildMayExitIfThatDestroysNoPool) {
  using Pool = PoolOf<TypeParam>;
  EXPECT_EXIT(ForkWhileALocalPoolRuns<Pool>(), ::testing::ExitedWithCode(0),
              "");
  EXPECT_EXIT(ForkWhileAPoolRunsThatIsNeverDestroyed<Pool>(),
              ::testing::ExitedWithCode(0), "");
}

// A pool that is stopped while its process forks is two pools afterwards.
template <class Pool>
void ForkWhileTheStaticPoolIsStopped() {
  static Tally tally(3);
  static Pool pool("pool", 2);
  const auto run = [](std::size_t task) {
    pool.Startup();
    pool.Submit(tally.Task(task));
    pool.Shutdown();
  };
  run(0);
  const pid_t child = Fork([&] {
    run(1);
    std::exit(tally.RanExactlyOnce() == 2 ? 0 : 1);
  });
  REQUIRE_OR_EXIT(1, ExitCodeOf(child) == 0);
  run(2);
  REQUIRE_OR_EXIT(2, tally.RanExactlyOnce() == 2);
  std::exit(0);
}

TYPED_TEST(ForkTest, AStoppedPoolMayBeUsedAndDestroyedInTheChild) {
  EXPECT_EXIT(ForkWhileTheStaticPoolIsStopped<PoolOf<TypeParam>>(),
              ::testing::ExitedWithCode(0), "");
}

// Why the child must not destroy the pool: it runs what is queued once more.
// After that it waits for ever for the task that runs in its parent.
template <class Pool>
void DestroyInTheChild() {
  int ends[2];
  REQUIRE_OR_EXIT(1, pipe(ends) == 0);
  static Pool pool("pool", 1);
  pool.Startup();
  const HeldWorker held(pool);
  pool.Submit([out = ends[1]] {
    const pid_t me = getpid();
    REQUIRE_OR_EXIT(2, write(out, &me, sizeof me) == sizeof me);
  });
  const pid_t child = Fork([] { std::exit(0); });
  pid_t runner = 0;
  REQUIRE_OR_EXIT(3, read(ends[0], &runner, sizeof runner) == sizeof runner);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::_Exit(runner == child ? 0 : 4);
}

TYPED_TEST(ForkTest, DestroyingARunningPoolInTheChildRunsQueuedTasksTwice) {
  EXPECT_EXIT(DestroyInTheChild<PoolOf<TypeParam>>(),
              ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace workerpool_test
