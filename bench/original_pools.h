// The two worker pools that the published table compares, retold to be measured
// as they were.
//
// Both run std::function tasks from one moodycamel queue and stop when the
// running flag is down and the queue is empty. They differ in how an idle
// worker waits and in what a submitter does:
//
//              idle worker                         submitter
//   back-off   sleeps 1 us, doubling to 1000 us    enqueues
//   condvar    waits at most 1 s for "not empty",  enqueues under the mutex,
//              dequeues under the mutex            then notifies one worker
//
// Faults kept on purpose: Shutdown does not notify, so the condvar pool takes
// up to a second to stop; a task submitted while the last worker leaves is
// stranded; a task that throws ends the process. The benchmark stops a pool
// only after all tasks have run, and does not time it. Thread-safe: Submit,
// from any thread. Startup and Shutdown belong to one thread.
#pragma once
#include <concurrentqueue/concurrentqueue.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#ifndef BENCH_CORRECTED_CONCURRENTQUEUE
#error "link corrected_concurrentqueue: see correct_concurrentqueue.cmake"
#endif

namespace bench {

class OriginalTaskQueue {
 public:
  template <class F>
  void Enqueue(F&& task) {
    tasks_.enqueue(std::function<void()>(std::forward<F>(task)));
  }
  bool Dequeue(std::function<void()>& task) { return tasks_.try_dequeue(task); }
  bool IsEmpty() const { return tasks_.size_approx() == 0; }

 private:
  moodycamel::ConcurrentQueue<std::function<void()>> tasks_;
};

// Threads and flag, the part both pools share. `Pool` gives each worker its
// loop body, Work().
template <class Pool>
class OriginalPoolBase {
 public:
  OriginalPoolBase(const std::string&, std::uint32_t workers)
      : count_(workers) {}

  void Startup() {
    running_ = true;
    for (std::uint32_t i = 0; i < count_; ++i) {
      threads_.emplace_back([this] { static_cast<Pool*>(this)->Work(); });
    }
  }

  void Shutdown() {
    running_ = false;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 protected:
  bool MustGoOn() const { return running_ || !queue_.IsEmpty(); }

  OriginalTaskQueue queue_;

 private:
  std::uint32_t count_;
  std::atomic<bool> running_{false};
  std::vector<std::thread> threads_;
};

class OriginalBackoffPool : public OriginalPoolBase<OriginalBackoffPool> {
 public:
  using OriginalPoolBase::OriginalPoolBase;

  template <class F>
  void Submit(F&& task) {
    queue_.Enqueue(std::forward<F>(task));
  }

 private:
  friend OriginalPoolBase;

  void Work() {
    constexpr std::chrono::microseconds kShortest{1}, kLongest{1000};
    auto pause = kShortest;
    std::function<void()> task;
    while (MustGoOn()) {
      if (queue_.Dequeue(task)) {
        task();
        pause = kShortest;
      } else {
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, kLongest);
      }
    }
  }
};

class OriginalCondVarPool : public OriginalPoolBase<OriginalCondVarPool> {
 public:
  using OriginalPoolBase::OriginalPoolBase;

  template <class F>
  void Submit(F&& task) {
    {
      std::lock_guard lock(mutex_);
      queue_.Enqueue(std::forward<F>(task));
    }
    wakeup_.notify_one();
  }

 private:
  friend OriginalPoolBase;

  void Work() {
    std::function<void()> task;
    while (MustGoOn()) {
      std::unique_lock lock(mutex_);
      wakeup_.wait_for(lock, std::chrono::seconds(1),
                       [this] { return !queue_.IsEmpty(); });
      const bool found = queue_.Dequeue(task);
      lock.unlock();
      if (found) task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wakeup_;
};

}  // namespace bench
