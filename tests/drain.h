// Drain holds a running pool in the middle of a Shutdown: one of its tasks
// waits, a thread is inside Shutdown, and the pool refuses outsiders already.
#pragma once

#include <functional>
#include <thread>
#include <utility>

#include "gate.h"

namespace workerpool_test {

template <class Pool>
class Drain {
 public:
  // `task` runs on a worker, still during the drain, after Finish was called.
  explicit Drain(
      Pool& pool, std::function<void()> task = [] {}) {
    Submit(pool, [this, task = std::move(task)] {
      gate_.Pass();
      task();
      ran_ = true;
    });
    gate_.AwaitArrivals(1);
    closer_ = std::thread([&pool] { pool.Shutdown(); });
    WaitUntil([&] { return !pool.IsRunning(); });
  }

  ~Drain() { Finish(); }

  // Lets the task go on, and returns after Shutdown has.
  void Finish() {
    gate_.Open();
    if (closer_.joinable()) closer_.join();
  }

  // After Finish.
  bool TaskRan() const { return ran_; }

 private:
  template <class F>
  static void Submit(Pool& pool, F task) {
    if constexpr (requires { pool.SubmitTask(task); }) {
      pool.SubmitTask(task);
    } else {
      pool.Submit(task);
    }
  }

  Gate gate_;
  bool ran_ = false;
  std::thread closer_;
};

}  // namespace workerpool_test
