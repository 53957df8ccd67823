// Platforms that behave as the standard allows but seldom does, or that count.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "pool/std_platform.h"

namespace workerpool_test {

// Every wait ends at once, whether or not anybody has notified.
struct SpuriousPlatform : workerpool::StdPlatform {
  class CondVar {
   public:
    void wait(Lock& lock) {
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
      lock.lock();
    }
    void wait_for(Lock& lock, std::chrono::nanoseconds) { wait(lock); }
    void notify_one() {}
    void notify_all() {}
  };
};

// Counts notifications, which are system calls at worst.
struct NotificationCountingPlatform : workerpool::StdPlatform {
  class CondVar : public std::condition_variable {
   public:
    void notify_one() {
      ++notifications;
      std::condition_variable::notify_one();
    }
    void notify_all() {
      ++notifications;
      std::condition_variable::notify_all();
    }
  };
  static inline std::atomic<int> notifications{0};
};

// Calls a function just before this thread locks a mutex the next time: what
// another thread may do there is then certain to happen.
struct BeforeLockPlatform : workerpool::StdPlatform {
  class Mutex {
   public:
    void lock() {
      if (auto call = std::exchange(before_next_lock, nullptr)) call();
      mutex_.lock();
    }
    void unlock() { mutex_.unlock(); }

   private:
    std::mutex mutex_;
  };
  using Lock = std::unique_lock<Mutex>;
  using CondVar = std::condition_variable_any;

  static inline thread_local std::function<void()> before_next_lock;
};

// Calls a function just after this thread's n-th load of an atomic from now:
// what it has read is then certain to be old.
struct AfterLoadPlatform : workerpool::StdPlatform {
  template <class T>
  class Atomic : public std::atomic<T> {
   public:
    using std::atomic<T>::atomic;
    T load(std::memory_order order) const {
      const T value = std::atomic<T>::load(order);
      if (call_ && --loads_left_ == 0) std::exchange(call_, nullptr)();
      return value;
    }
  };

  static void AfterLoad(int n, std::function<void()> call) {
    loads_left_ = n;
    call_ = std::move(call);
  }

 private:
  static inline thread_local int loads_left_ = 0;
  static inline thread_local std::function<void()> call_;
};

// Calls a function when this thread lets others run the next time.
struct AtPausePlatform : workerpool::StdPlatform {
  static void Pause() {
    if (auto call = std::exchange(at_next_pause, nullptr)) call();
    StdPlatform::Pause();
  }

  static inline thread_local std::function<void()> at_next_pause;
};

}  // namespace workerpool_test
