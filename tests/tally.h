// Tally counts how often each of n tasks ran. Relaxed: a test that reads it
// relies on the pool for happens-before, never on the tally.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <vector>

namespace workerpool_test {

class Tally {
 public:
  explicit Tally(std::size_t tasks) : runs_(tasks) {}

  auto Task(std::size_t index) {
    return [this, index] { Count(index); };
  }

  void Count(std::size_t index) {
    runs_[index].fetch_add(1, std::memory_order_relaxed);
  }

  std::size_t RanExactlyOnce() const {
    return static_cast<std::size_t>(
        std::count_if(runs_.begin(), runs_.end(), [](const auto& runs) {
          return runs.load(std::memory_order_relaxed) == 1;
        }));
  }

  std::size_t Runs() const {
    return std::accumulate(runs_.begin(), runs_.end(), std::size_t{0},
                           [](std::size_t sum, const auto& runs) {
                             return sum + runs.load(std::memory_order_relaxed);
                           });
  }

 private:
  std::vector<std::atomic<std::size_t>> runs_;
};

}  // namespace workerpool_test
