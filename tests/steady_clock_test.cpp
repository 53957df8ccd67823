// Sleeps follow the steady clock: setting the wall clock neither hangs a pool
// nor wakes it. This program has the C library's timed waits of its own, which
// is why it stands alone.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "gate.h"
#include "pool/worker_pool.h"
#include "strategies.h"
#include "tally.h"

namespace {

std::atomic<int> steady_waits{0};
std::atomic<int> wall_clock_waits{0};

template <class Function>
Function* Real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int pthread_cond_timedwait(pthread_cond_t* condition,
                                      pthread_mutex_t* mutex,
                                      const timespec* until) {
  static const auto real =
      Real<decltype(pthread_cond_timedwait)>("pthread_cond_timedwait");
  ++wall_clock_waits;
  return real(condition, mutex, until);
}

extern "C" int pthread_cond_clockwait(pthread_cond_t* condition,
                                      pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* until) {
  static const auto real =
      Real<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait");
  ++(clock == CLOCK_MONOTONIC ? steady_waits : wall_clock_waits);
  return real(condition, mutex, clock, until);
}

namespace workerpool_test {
namespace {

TEST(SteadyClockTest, APollingPoolSleepsByTheSteadyClock) {
  steady_waits = wall_clock_waits = 0;
  Tally tally(10);
  workerpool::BackoffWorkerPool pool("pool", 2);
  pool.Startup();
  for (std::size_t i = 0; i != 10; ++i) {
    pool.Submit(tally.Task(i));
    pool.WaitIdle();
    const int before = steady_waits;
    WaitUntil([&] { return steady_waits > before; });
  }
  pool.Shutdown();
  EXPECT_EQ(wall_clock_waits, 0);
  EXPECT_EQ(tally.RanExactlyOnce(), 10u);
}

TEST(SteadyClockTest, TheDefaultPoolHasNoTimedWait) {
  steady_waits = wall_clock_waits = 0;
  Tally tally(10);
  workerpool::WorkerPool pool("pool", 2);
  pool.Startup();
  for (std::size_t i = 0; i != 10; ++i) {
    pool.Submit(tally.Task(i));
    pool.WaitIdle();
    GiveFaultsAChance();
  }
  pool.Shutdown();
  EXPECT_EQ(steady_waits + wall_clock_waits, 0);
  EXPECT_EQ(tally.RanExactlyOnce(), 10u);
}

// The usual way to get it wrong is seen.
TEST(SteadyClockTest, TheMeasureSeesAWaitByTheWallClock) {
  steady_waits = wall_clock_waits = 0;
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  condition.wait_until(
      lock, std::chrono::system_clock::now() + std::chrono::milliseconds(1));
  EXPECT_EQ(wall_clock_waits, 1);
  EXPECT_EQ(steady_waits, 0);
}

}  // namespace
}  // namespace workerpool_test
