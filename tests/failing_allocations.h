// The k-th allocation of a thread fails, for once or from then on. Replaces the
// global operator new: for programs of one source file that stand alone.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace workerpool_test {

struct FailingAllocations {
  int left = -1;  // that succeed; negative: all
  bool lasting = false;
  bool failed = false;
};

// Of the machine that is pretended: no test fills a real one.
constexpr std::size_t kMemory = std::size_t{1} << 32;

inline thread_local FailingAllocations failing_allocations;
inline std::atomic<std::ptrdiff_t> live_allocations{0};

// Not inlined: a compiler that sees malloc and free through the operators
// takes them for mismatched.
[[gnu::noinline]] inline void* Allocate(std::size_t size,
                                        std::size_t alignment) {
  FailingAllocations& failing = failing_allocations;
  if (failing.left == 0) {
    failing.failed = true;
    if (!failing.lasting) failing.left = -1;
    throw std::bad_alloc();
  }
  if (failing.left > 0) --failing.left;
  if (size > kMemory) throw std::bad_alloc();
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  ++live_allocations;
  return memory;
}

[[gnu::noinline]] inline void Free(void* memory) {
  if (memory != nullptr) --live_allocations;
  std::free(memory);
}

// Whether call() gets through although allocation k, or all from there on,
// fails. If one has failed, it must have said so by std::bad_alloc.
template <class Call>
bool GetsThrough(int k, bool lasting, Call call) {
  failing_allocations = {.left = k, .lasting = lasting};
  bool threw = false;
  try {
    call();
  } catch (const std::bad_alloc&) {
    threw = true;
  }
  const bool failed = failing_allocations.failed;
  failing_allocations = {};
  EXPECT_EQ(failed, threw) << "an allocation failed and nobody was told";
  return !threw;
}

// Calls at most twice: a call that undoes what it did must not allocate for
// that, so the failures that last come first.
template <class Call>
bool SucceedsWithFailure(int k, Call call) {
  return GetsThrough(k, true, call) || GetsThrough(k, false, call);
}

// For calls that must work without memory.
template <class Call>
void ExpectAllocatesNothing(Call call) {
  EXPECT_TRUE(GetsThrough(0, true, call));
}

}  // namespace workerpool_test

void* operator new(std::size_t size) {
  return workerpool_test::Allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return workerpool_test::Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { workerpool_test::Free(memory); }
void operator delete(void* memory, std::size_t) noexcept {
  workerpool_test::Free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  workerpool_test::Free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  workerpool_test::Free(memory);
}
