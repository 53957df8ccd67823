// TaskCounter counts executed tasks where they are executed, independently of
// the terminals' own counts: a task that a pool ran twice or not at all shows
// as a difference.
//
// Count costs two plain memory accesses, because every thread has a slot and a
// cache line of its own. Thread-safe. Total is exact once the counting threads
// are joined.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace bench {

class TaskCounter {
 public:
  // At most `threads` threads ever count.
  explicit TaskCounter(std::size_t threads) : slots_(threads) {}

  // Throws std::logic_error when more threads than expected execute tasks.
  void Count() {
    // The number tells this counter from an earlier one at the same address.
    thread_local std::uint64_t owner = 0;
    thread_local Slot* mine = nullptr;
    if (owner != number_) {
      mine = NewSlot();
      owner = number_;
    }
    const std::uint64_t count = mine->count.load(std::memory_order_relaxed);
    mine->count.store(count + 1, std::memory_order_relaxed);
  }

  std::uint64_t Total() const {
    std::uint64_t total = 0;
    for (const Slot& slot : slots_)
      total += slot.count.load(std::memory_order_relaxed);
    return total;
  }

 private:
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> count{0};
  };

  Slot* NewSlot() {
    const std::size_t index = taken_.fetch_add(1, std::memory_order_relaxed);
    if (index >= slots_.size())
      throw std::logic_error("more threads execute tasks than expected");
    return &slots_[index];
  }

  static std::uint64_t NextNumber() {
    static std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
  }

  const std::uint64_t number_ = NextNumber();
  std::vector<Slot> slots_;
  std::atomic<std::size_t> taken_{0};
};

}  // namespace bench
