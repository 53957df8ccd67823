// Signals whose handler interrupts system calls hit every thread while tasks
// are submitted, awaited and drained: nothing is lost, nothing runs twice.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "pool/mono_queue_pool.h"
#include "pool/worker_pool.h"
#include "strategies.h"

namespace workerpool_test {
namespace {

std::atomic<long> handled{0};

void Count(int) {
  const int before = errno;
  ++handled;
  errno = before;
}

// Sends SIGUSR1 to each thread of the process, round after round. The handler
// stays installed: a last signal may still be on its way.
class SignalStorm {
 public:
  SignalStorm() {
    handled = 0;
    struct sigaction action = {};
    action.sa_handler = &Count;  // no SA_RESTART
    sigaction(SIGUSR1, &action, nullptr);
    sender_ = std::jthread([this] {
      while (!over_) Strike();
    });
  }
  ~SignalStorm() {
    over_ = true;
    sender_.join();
  }

 private:
  static void Strike() {
    for (const auto& thread :
         std::filesystem::directory_iterator("/proc/self/task")) {
      // One that has ended meanwhile is no error.
      syscall(SYS_tgkill, getpid(), std::stoi(thread.path().filename()),
              SIGUSR1);
    }
  }

  std::atomic<bool> over_{false};
  std::jthread sender_;
};

template <class Strategy>
class SignalStormTest : public ::testing::Test {};

TYPED_TEST_SUITE(SignalStormTest, Strategies, StrategyNames);

constexpr long kSignals = 4000;

TYPED_TEST(SignalStormTest, SessionsUnderAStormAgreeInTheirSums) {
  std::atomic<long> runs{0};
  long accepted = 0;
  PoolOf<TypeParam> pool({.workers = 3, .queue_capacity = 8});
  {
    const SignalStorm storm;
    while (handled < kSignals) {
      pool.Startup();
      for (int i = 0; i != 50; ++i) {
        pool.Submit([&] {
          ++runs;
          pool.Submit([&] { ++runs; });
        });
        accepted += 2;
        if (i % 10 == 0) {
          pool.WaitIdle();
          ASSERT_EQ(runs, accepted);
        }
      }
      pool.Shutdown();
      ASSERT_EQ(runs, accepted);
    }
  }
  EXPECT_GE(handled, kSignals);
}

TYPED_TEST(SignalStormTest, SubmittersAgainstShutdownsAgreeInTheirSums) {
  std::atomic<long> runs{0}, accepted{0};
  workerpool::BasicMonoQueuePool<PoolOf<TypeParam>> pool("pool", 8, 2);
  {
    const SignalStorm storm;
    std::vector<std::jthread> threads;
    for (int t = 0; t != 3; ++t) {
      threads.emplace_back([&, t] {
        while (handled < kSignals) {
          if (t == 0) {
            pool.Shutdown();
          } else {
            pool.SubmitTask([&] { ++runs; });
            ++accepted;
          }
        }
      });
    }
  }
  pool.Shutdown();
  EXPECT_EQ(runs, accepted);
  EXPECT_GE(handled, kSignals);
}

}  // namespace
}  // namespace workerpool_test
