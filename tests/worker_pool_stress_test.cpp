// Many threads do everything at once; afterwards the account must be right to
// the task. Meant for ThreadSanitizer and AddressSanitizer.
//
//   STRESS_ROUNDS=<n>   how long, 1 by default
//   SEED=<n>            the same mix of calls, though not the same schedule
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "errors.h"
#include "pool/mono_queue_pool.h"
#include "pool/worker_pool.h"
#include "seed.h"
#include "strategies.h"
#include "tally.h"

namespace workerpool_test {
namespace {

std::size_t Rounds() { return NumberFromEnvironment("STRESS_ROUNDS", 1); }

// Each thread of each round draws from a generator of its own.
std::mt19937_64 Generator(std::size_t round, std::size_t thread) {
  return std::mt19937_64(Seed() + 1000 * round + thread);
}

// Runs body(thread, round) on several threads at once and joins them.
template <class Body>
void OnThreads(std::size_t threads, std::size_t round, Body body) {
  std::vector<std::jthread> all;
  for (std::size_t t = 0; t != threads; ++t) {
    all.emplace_back([&body, t, round] { body(t, round); });
  }
}

template <class Strategy>
class WorkerPoolStress : public ::testing::Test {};

TYPED_TEST_SUITE(WorkerPoolStress, Strategies, StrategyNames);

// Submitters, a thread that waits for idle, and sessions that begin and end.
TYPED_TEST(WorkerPoolStress, SubmittersAgainstRestartsAndWaiters) {
  for (std::size_t round = 0; round != 3 * Rounds(); ++round) {
    std::atomic<std::size_t> accepted{0}, runs{0};
    std::atomic<bool> submitting{true};
    PoolOf<TypeParam> pool(
        {.name = "pool",
         .workers = 1 + static_cast<std::uint32_t>(round % 3),
         .queue_capacity = std::size_t{1} << (4 * (round % 3))});
    std::jthread sessions([&] {
      while (submitting) {
        pool.Startup();
        pool.Shutdown();
      }
    });
    std::jthread waiter([&] {
      while (submitting) pool.WaitIdle();
    });
    OnThreads(3, round, [&](std::size_t, std::size_t) {
      for (int i = 0; i != 3000; ++i) {
        if (pool.TrySubmit([&] { ++runs; })) ++accepted;
      }
    });
    submitting = false;
    sessions.join();
    waiter.join();
    pool.Startup();
    if (pool.TrySubmit([&] { ++runs; })) ++accepted;
    pool.Shutdown();
    ASSERT_EQ(runs, accepted);
    ASSERT_GE(runs, 1u);
  }
}

// Tasks with payloads of several shapes that submit, throw, and carry captures
// with destructors, while the pool is now and then asked whether it is idle.
template <class Pool>
class Mix {
 public:
  Mix(Pool& pool, std::size_t depth) : pool_(pool), depth_(depth) {}

  void SubmitOne(std::mt19937_64& random) { SubmitTree(random(), depth_); }

  std::size_t Accepted() const { return accepted_; }
  std::size_t Runs() const { return runs_; }
  std::size_t Captures() const { return captures_; }

 private:
  struct Capture {
    explicit Capture(Mix& mix) : mix(&mix) { ++mix.captures_; }
    Capture(const Capture& other) : mix(other.mix) { ++mix->captures_; }
    ~Capture() { --mix->captures_; }
    Mix* mix;
  };

  void SubmitTree(std::uint64_t dice, std::size_t depth) {
    ++accepted_;
    auto task = [this, dice, depth, payload = dice, capture = Capture(*this)] {
      if (payload == dice) ++runs_;
      if (depth != 0 && dice % 3 == 0) {
        SubmitTree(dice / 3, depth - 1);
        SubmitTree(dice / 5, depth - 1);
      }
      if (dice % 7 == 0) throw std::runtime_error("expected");
    };
    if (dice % 2 == 0) {
      pool_.Submit(std::move(task));
    } else {
      pool_.Submit([task, padding = std::array<char, 64>()]() mutable {
        padding[0] = 1;
        task();
      });
    }
  }

  Pool& pool_;
  const std::size_t depth_;
  std::atomic<std::size_t> accepted_{0}, runs_{0}, captures_{0};
};

TYPED_TEST(WorkerPoolStress, TasksOfAllKindsAgainstWaitersAndADrain) {
  using Pool = PoolOf<TypeParam>;
  for (std::size_t round = 0; round != 4 * Rounds(); ++round) {
    workerpool::WorkerPoolOptions options;
    options.workers = 1 + static_cast<std::uint32_t>(round % 4);
    options.queue_capacity = 8;
    options.on_exception = [](std::exception_ptr) {};
    Pool pool(options);
    Mix<Pool> mix(pool, 4);
    for (int session = 0; session != 5; ++session) {
      pool.Startup();
      OnThreads(3, round, [&](std::size_t thread, std::size_t) {
        std::mt19937_64 random = Generator(round, thread);
        for (int i = 0; i != 150; ++i) {
          mix.SubmitOne(random);
          if (random() % 64 == 0) pool.WaitIdle();
        }
      });
      OnThreads(2, round, [&](std::size_t, std::size_t) { pool.Shutdown(); });
      ASSERT_EQ(mix.Runs(), mix.Accepted());
      ASSERT_EQ(mix.Captures(), 0u);
    }
  }
}

// Short pools: a thread that starts, falls asleep or leaves is as likely to be
// met as one that works.
TYPED_TEST(WorkerPoolStress, ShortLivesOfPools) {
  for (std::size_t round = 0; round != 150 * Rounds(); ++round) {
    std::atomic<std::size_t> runs{0}, accepted{0};
    {
      PoolOf<TypeParam> pool("pool", 2);
      OnThreads(3, round, [&](std::size_t thread, std::size_t) {
        std::mt19937_64 random = Generator(round, thread);
        for (int i = 0; i != 4; ++i) {
          const auto dice = random() % 4;
          if (dice == 0) pool.Startup();
          if (dice == 1) pool.Shutdown();
          if (dice == 2) pool.WaitIdle();
          if (pool.TrySubmit([&] { ++runs; })) ++accepted;
        }
      });
    }
    ASSERT_EQ(runs, accepted);
  }
}

// Tasks enter through the queue and through the pool, leave through workers
// and through Dequeue, in session after session.
TYPED_TEST(WorkerPoolStress, QueueAndPoolTogetherLoseNothing) {
  constexpr std::size_t kThreads = 2, kEach = 1500;
  for (std::size_t round = 0; round != 2 * Rounds(); ++round) {
    Tally tally(kThreads * kEach);
    workerpool::TaskQueue queue(16);
    std::atomic<bool> enqueueing{true};
    PoolOf<TypeParam> pool("pool", 2, queue);
    std::jthread sessions([&] {
      while (enqueueing) {
        pool.Startup();
        pool.WaitIdle();
        pool.Shutdown();
      }
    });
    std::jthread thief([&] {
      std::function<void()> task;
      while (enqueueing) {
        if (queue.Dequeue(task)) task();
        if (queue.IsEmpty()) std::this_thread::yield();
      }
    });
    OnThreads(kThreads, round, [&](std::size_t thread, std::size_t) {
      for (std::size_t i = 0; i != kEach; ++i) {
        const auto task = tally.Task(thread * kEach + i);
        if (i % 2 == 0 || !pool.TrySubmit(task)) queue.Enqueue(task);
      }
    });
    enqueueing = false;
    sessions.join();
    thief.join();
    pool.Startup();
    pool.Shutdown();
    ASSERT_EQ(tally.RanExactlyOnce(), kThreads * kEach);
  }
}

TYPED_TEST(WorkerPoolStress, MonoQueuePoolAgainstShutdownsLosesNothing) {
  constexpr std::size_t kThreads = 3, kEach = 400;
  for (std::size_t round = 0; round != 2 * Rounds(); ++round) {
    Tally tally(2 * kThreads * kEach);
    std::atomic<bool> submitting{true};
    workerpool::BasicMonoQueuePool<PoolOf<TypeParam>> pool("pool", 8, 2);
    const auto shut_down = [&] {
      while (submitting) pool.Shutdown();
    };
    std::jthread one(shut_down), two(shut_down);
    OnThreads(kThreads, round, [&](std::size_t thread, std::size_t) {
      for (std::size_t i = 0; i != kEach; ++i) {
        const std::size_t index = thread * kEach + i;
        pool.SubmitTask([&, index] {
          tally.Count(index);
          pool.SubmitTask(tally.Task(kThreads * kEach + index));
        });
      }
    });
    submitting = false;
    one.join();
    two.join();
    pool.Shutdown();
    ASSERT_EQ(tally.RanExactlyOnce(), 2 * kThreads * kEach);
  }
}

}  // namespace
}  // namespace workerpool_test
