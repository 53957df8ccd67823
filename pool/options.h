// What a pool may be told when it is made. Plain data; a pool throws
// std::invalid_argument for a value out of range that concerns it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace workerpool::inline v1 {

// What a strategy may be tuned with; each reads what concerns it.
struct WaitOptions {
  // BackoffWait: the first sleep, > 0, and the longest, to which it doubles.
  std::chrono::nanoseconds shortest_sleep = std::chrono::microseconds(1);
  std::chrono::nanoseconds longest_sleep = std::chrono::milliseconds(1);
};

struct WorkerPoolOptions {
  // Threads are named "<name>-worker-<i>", cut to 15 characters.
  std::string name = "worker-pool";
  std::uint32_t workers = 4;  // 1 to 65536
  // Room in the ring, rounded up to a power of two. What does not fit is
  // accepted, too, at the price of an allocation.
  std::size_t queue_capacity = 1024;  // 1 to 2^30
  WaitOptions wait = {};
  // Gets what a task threw, on the worker, before the task counts as done.
  // Default: one line on stderr.
  std::function<void(std::exception_ptr)> on_exception = {};
};

}  // namespace workerpool::inline v1
