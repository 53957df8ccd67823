// A row that is not the stored one must never pass the check.
#include "row.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace bench {
namespace {

std::string RowText(std::uint32_t key) {
  StoredRow row;
  FillRow(key, row);
  return {row.data(), row.size()};
}

TEST(RowTest, StoredRowIsAccepted) {
  for (const std::uint32_t key : {0u, 1u, 999'999u, ~0u}) {
    EXPECT_TRUE(IsRowOf(key, RowText(key))) << key;
  }
}

TEST(RowTest, EveryFlippedBitIsDetected) {
  std::string row = RowText(42);
  for (std::size_t byte = 0; byte < row.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      row[byte] = static_cast<char>(row[byte] ^ (1 << bit));
      EXPECT_FALSE(IsRowOf(42, row)) << "byte " << byte << " bit " << bit;
      row[byte] = static_cast<char>(row[byte] ^ (1 << bit));
    }
  }
}

TEST(RowTest, RowOfAnotherKeyIsDetected) {
  for (std::uint32_t key = 0; key < 1'000; ++key) {
    EXPECT_FALSE(IsRowOf(key, RowText(key + 1))) << key;
  }
}

TEST(RowTest, ShortAndLongRowsAreDetected) {
  const std::string row = RowText(1);
  EXPECT_FALSE(IsRowOf(1, std::string_view(row).substr(0, row.size() - 1)));
  EXPECT_FALSE(IsRowOf(1, row + 'x'));
  EXPECT_FALSE(IsRowOf(1, ""));
}

TEST(RowTest, ARowHasTenFieldsOfHundredBytesThatAllDiffer) {
  const std::string row = RowText(7);
  ASSERT_EQ(row.size(), 10u * 101);
  std::set<std::string> fields;
  for (std::size_t field = 0; field < 10; ++field) {
    EXPECT_EQ(row[field * 101], 100);
    fields.insert(row.substr(field * 101 + 1, 100));
  }
  EXPECT_EQ(fields.size(), 10u);
}

}  // namespace
}  // namespace bench
