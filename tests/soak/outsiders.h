// Outsiders are the threads of a soak that are no workers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

#include "soak/load.h"

namespace soak {

class Outsiders {
 public:
  template <class Body>
  void Add(std::size_t count, Body body) {
    for (std::size_t i = 0; i != count; ++i) {
      threads_.emplace_back([body]() mutable {
        outsider = true;
        body();
      });
    }
  }
  // Until `over`, with a rest in between: it must not take the cores.
  template <class Body>
  void AddRepeating(std::size_t count, const std::atomic<bool>& over,
                    Body body) {
    Add(count, [&over, body]() mutable {
      do {
        body();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      } while (!over);
    });
  }
  void Join() { threads_.clear(); }

 private:
  std::vector<std::jthread> threads_;
};

// Several submitters, each with a burst; returns when all have submitted.
template <class Door>
void SubmitBursts(Load<Door>& load, std::mt19937_64& random) {
  Outsiders submitters;
  for (auto count = 1 + random() % 4; count != 0; --count) {
    submitters.Add(
        1, [&load, seed = random()] { load.Burst(std::mt19937_64(seed)); });
  }
}

}  // namespace soak
