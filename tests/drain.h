// Drain holds a running pool in the middle of a Shutdown: one of its tasks
// waits, a thread is inside Shutdown, and the pool refuses outsiders already.
// Drop does the same in the middle of a ShutdownNow.
#pragma once

#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

#include "gate.h"
#include "held_worker.h"

namespace workerpool_test {

template <class Pool>
class HeldEnd {
 public:
  // `task` runs on a worker, still before the end, after Finish was called.
  HeldEnd(Pool& pool, std::function<void()> task, std::function<void()> end)
      : held_(pool, [this, task = std::move(task)] {
          task();
          ran_ = true;
        }) {
    closer_ = std::thread(std::move(end));
    WaitUntil([&] { return !pool.IsRunning(); });
  }

  ~HeldEnd() { Finish(); }

  // Lets the task go on, and returns after the closing call has.
  void Finish() {
    held_.Release();
    if (closer_.joinable()) closer_.join();
  }

  // After Finish.
  bool TaskRan() const { return ran_; }

 private:
  bool ran_ = false;
  HeldWorker held_;
  std::thread closer_;
};

template <class Pool>
struct Drain : HeldEnd<Pool> {
  explicit Drain(
      Pool& pool, std::function<void()> task = [] {})
      : HeldEnd<Pool>(pool, std::move(task), [&pool] { pool.Shutdown(); }) {}
};

template <class Pool>
struct Drop : HeldEnd<Pool> {
  explicit Drop(
      Pool& pool, std::function<void()> task = [] {})
      : HeldEnd<Pool>(pool, std::move(task),
                      [&pool, this] { dropped = pool.ShutdownNow(); }) {}

  std::size_t dropped = 0;  // after Finish
};

// A template argument may be left out: Drain drain(pool).
template <class Pool, class... Rest>
Drain(Pool&, Rest...) -> Drain<Pool>;
template <class Pool, class... Rest>
Drop(Pool&, Rest...) -> Drop<Pool>;

}  // namespace workerpool_test
