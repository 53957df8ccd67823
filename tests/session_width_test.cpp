// Packed fields in a word of a few bits: a count that overflows must not reach
// its neighbours. The shipping session on such a word, and beside it the layout
// that lets the count spill.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>

#include "pool/session.h"
#include "pool/std_platform.h"

namespace workerpool_test {
namespace {

// A count of two bits.
using NarrowSession =
    workerpool::Session<workerpool::StdPlatform, std::uint8_t, 2>;
using workerpool::Completed;

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
    ASSERT_EQ(session.Complete(), Completed::kOne);
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
  for (int i = 0; i != kValues - 2; ++i) {
    ASSERT_EQ(session.Complete(), Completed::kOne);
  }
  EXPECT_EQ(session.Complete(), Completed::kLast);
  EXPECT_TRUE(session.IsOver());
  // More completions than tasks, which would be a fault of the pool.
  for (int i = 0; i != kValues + 1; ++i) {
    static_cast<void>(session.Complete());
    ASSERT_FALSE(session.IsOpen());
  }
}

// That the count runs over is assumed away at 61 bits.
TEST(SessionWidthTest, NoFieldReachesAnotherInAnyState) {
  for (unsigned closed = 0; closed != 3; ++closed) {
    for (unsigned accepts = 0; accepts != 8; ++accepts) {
      NarrowSession session;
      session.Open(0);
      for (unsigned i = 0; i != accepts; ++i) EXPECT_TRUE(session.Accept());
      if (closed == 1) session.Close();
      if (closed == 2) session.CloseAndDrop();
      EXPECT_EQ(session.IsOpen(), closed == 0);
      EXPECT_EQ(session.IsDropping(), closed == 2);
      EXPECT_EQ(session.IsOver(), closed != 0 && accepts % 4 == 0);
      for (unsigned i = accepts % 4; i != 0; --i) {
        const Completed expected = i == 1 && closed != 0 ? Completed::kLast
                                   : closed == 2         ? Completed::kDropping
                                                         : Completed::kOne;
        EXPECT_EQ(session.Complete(), expected);
        EXPECT_EQ(session.IsOpen(), closed == 0);
        EXPECT_EQ(session.IsDropping(), closed == 2);
      }
      EXPECT_EQ(session.IsOver(), closed != 0);
    }
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
  static constexpr unsigned kClosed = kValues;
  std::atomic<unsigned> word_{0};
};

TEST(SessionWidthTest, ACountBelowAFlagSpillsIntoIt) {
  CountBelowFlag session;
  for (int i = 0; i != kValues; ++i) ASSERT_TRUE(session.Accept());
  EXPECT_FALSE(session.IsOpen()) << "nobody has closed it";
  EXPECT_FALSE(session.Accept());
}

}  // namespace
}  // namespace workerpool_test
