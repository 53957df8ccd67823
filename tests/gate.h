// Gate keeps tasks where a test wants them: whoever passes waits until the
// gate is open, and the test can wait until somebody has arrived.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace workerpool_test {

class Gate {
 public:
  void Pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
  }

  void AwaitArrivals(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return arrived_ >= count; });
  }

  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t arrived_ = 0;
  bool open_ = false;
};

// For states that a test can see but not wait for.
template <class Predicate>
void WaitUntil(Predicate holds) {
  while (!holds()) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

// Gives a wrong program time to show itself; a right one passes either way.
inline void GiveFaultsAChance() {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace workerpool_test
