// Packed fields in a word of a few bits: a count that overflows must not reach
// its neighbours. The shipping session on such a word, and beside it the layout
// that lets the count spill.
#include <gtest/gtest.h>

#include <cstdint>

#include "pool/session.h"
#include "pool/std_platform.h"

namespace workerpool_test {
namespace {

// Words of kBits bits: every result is cut to them.
template <unsigned kBits>
struct NarrowPlatform : workerpool::StdPlatform {
  template <class T>
  class Atomic {
   public:
    Atomic(T value) : word_(Cut(value)) {}  // NOLINT: as std::atomic

    T load(std::memory_order) const { return word_; }
    void store(T value, std::memory_order) { word_ = Cut(value); }
    T fetch_add(T value, std::memory_order) { return Set(word_ + value); }
    T fetch_sub(T value, std::memory_order) { return Set(word_ - value); }
    T fetch_or(T value, std::memory_order) { return Set(word_ | value); }
    T fetch_and(T value, std::memory_order) { return Set(word_ & value); }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order) {
      if (word_ == expected) {
        word_ = Cut(desired);
        return true;
      }
      expected = word_;
      return false;
    }

   private:
    static T Cut(T value) { return value & ((T{1} << kBits) - 1); }
    T Set(T value) {
      const T before = word_;
      word_ = Cut(value);
      return before;
    }
    T word_;
  };
};

// Two flags and a count of two bits.
using NarrowSession = workerpool::Session<NarrowPlatform<4>>;

constexpr int kOverflows = 3;    // of the count
constexpr int kValues = 1 << 2;  // of the count

TEST(SessionWidthTest, APendingCountThatOverflowsLeavesTheSessionOpen) {
  NarrowSession session;
  session.Open(0);
  for (int i = 0; i != kOverflows * kValues + 1; ++i) {
    ASSERT_TRUE(session.Accept());
    ASSERT_TRUE(session.IsOpen());
  }
  for (int i = 0; i != kOverflows * kValues + 1; ++i) {
    ASSERT_FALSE(session.Complete()) << "an open session does not end";
    ASSERT_TRUE(session.IsOpen());
  }
  session.WaitIdle();
}

TEST(SessionWidthTest, APendingCountThatOverflowsLeavesTheSessionClosed) {
  NarrowSession session;
  session.Open(0);
  ASSERT_TRUE(session.Accept());
  session.Close();
  for (int i = 0; i != kValues - 2; ++i) ASSERT_TRUE(session.AcceptFromTask());
  for (int i = 0; i != kValues - 2; ++i) ASSERT_FALSE(session.Complete());
  EXPECT_TRUE(session.Complete());
  EXPECT_TRUE(session.IsOver());
  // More completions than tasks, which would be a fault of the pool.
  for (int i = 0; i != kValues + 1; ++i) {
    static_cast<void>(session.Complete());
    ASSERT_FALSE(session.IsOpen());
  }
}

// The count below the flag: what does not fit is carried into the flag.
class CountBelowFlag {
 public:
  bool Accept() {
    if (!IsOpen()) return false;
    word_.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  bool IsOpen() const {
    return (word_.load(std::memory_order_relaxed) & kClosed) == 0;
  }

 private:
  static constexpr std::uint64_t kClosed = kValues;
  NarrowPlatform<3>::Atomic<std::uint64_t> word_{0};
};

TEST(SessionWidthTest, ACountBelowAFlagSpillsIntoIt) {
  CountBelowFlag session;
  for (int i = 0; i != kValues; ++i) ASSERT_TRUE(session.Accept());
  EXPECT_FALSE(session.IsOpen()) << "nobody has closed it";
  EXPECT_FALSE(session.Accept());
}

}  // namespace
}  // namespace workerpool_test
