// StdPlatform is the world the pool ships with: the C++ library and, where the
// operating system has them, thread names. The only header of pool/ that may
// ask what it is compiled for.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#if defined(__linux__)
#include <pthread.h>
#endif

#include "platform.h"

namespace workerpool::inline v1 {

struct StdPlatform {
  template <class T>
  using Atomic = std::atomic<T>;
  using Mutex = std::mutex;
  using Lock = std::unique_lock<std::mutex>;
  using CondVar = std::condition_variable;
  using ThreadId = std::thread::id;

  static constexpr std::memory_order relaxed = std::memory_order_relaxed;
  static constexpr std::memory_order acquire = std::memory_order_acquire;
  static constexpr std::memory_order release = std::memory_order_release;

  static consteval std::memory_order Order(Site, std::memory_order order) {
    return order;
  }

  template <class T>
  class Var {
   public:
    Var() = default;
    template <class... Args>
    explicit Var(Args&&... args) : value_(std::forward<Args>(args)...) {}
    T& Write() { return value_; }
    const T& Read() const { return value_; }

   private:
    T value_{};
  };

  class Thread {
   public:
    template <class F>
    Thread(std::string name, F body)
        : thread_([name = std::move(name), body = std::move(body)]() mutable {
            Name(name);
            body();
          }) {}
    void join() { thread_.join(); }

   private:
    static void Name([[maybe_unused]] const std::string& name) {
#if defined(__linux__)
      pthread_setname_np(pthread_self(), name.c_str());
#endif
    }

    std::thread thread_;
  };

  static ThreadId ThisThread() { return std::this_thread::get_id(); }

  static void Pause() { std::this_thread::yield(); }

  // Runs body. An exception that leaves it goes to on_exception, except the
  // one that ends a thread (pthread_exit, cancellation), which must go on: it
  // is not C++'s, so there is no exception_ptr to it.
  template <class Body, class Handler>
  static void Contain(Body&& body, Handler&& on_exception) {
    try {
      body();
    } catch (...) {
      const std::exception_ptr error = std::current_exception();
      if (error == nullptr) throw;
      on_exception(error);
    }
  }

  static void Check([[maybe_unused]] bool holds,
                    [[maybe_unused]] const char* message) {
#if !defined(NDEBUG)
    if (!holds) Die(message);
#endif
  }

  // Prints one line to stderr and aborts: for misuse that no exception can
  // report.
  [[noreturn]] static void Die(const char* message) {
    std::fprintf(stderr, "workerpool: %s\n", message);
    std::abort();
  }
};

static_assert(Platform<StdPlatform>);

}  // namespace workerpool::inline v1
