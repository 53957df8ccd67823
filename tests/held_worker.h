// HeldWorker keeps one worker of a running pool at a gate. With a pool of one
// worker all that is submitted meanwhile stays queued.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "gate.h"

namespace workerpool_test {

class HeldWorker {
 public:
  // Returns when the worker is there. `then` runs on it once it is released.
  template <class Pool>
  explicit HeldWorker(
      Pool& pool, std::function<void()> then = [] {}) {
    auto task = [this, then = std::move(then)] {
      struct Leaving {
        std::atomic<bool>& gone;
        ~Leaving() { gone = true; }  // the last touch, also if `then` throws
      } const leaving{gone_};
      gate_.Pass();
      then();
    };
    if constexpr (requires { pool.SubmitTask(task); }) {
      pool.SubmitTask(task);
    } else {
      pool.Submit(std::move(task));
    }
    gate_.AwaitArrivals(1);
  }

  HeldWorker(const HeldWorker&) = delete;
  HeldWorker& operator=(const HeldWorker&) = delete;

  ~HeldWorker() {
    Release();
    WaitUntil([this] { return gone_.load(); });
  }

  void Release() { gate_.Open(); }

 private:
  Gate gate_;
  std::atomic<bool> gone_{false};
};

}  // namespace workerpool_test
