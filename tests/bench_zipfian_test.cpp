// ZipfianKeys against the distribution it promises.
#include "zipfian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace bench {
namespace {

constexpr std::uint32_t kRows = 1'000'000;
constexpr int kDraws = 1'000'000;

// How often each key was drawn; a key out of range fails the test.
std::vector<int> Draw(const ZipfianKeys& keys, std::uint32_t rows, int draws) {
  std::mt19937_64 random(11);
  std::vector<int> counts(rows);
  for (int i = 0; i < draws; ++i) ++counts.at(keys(random));
  return counts;
}

TEST(ZipfianTest, TheTwoMostFrequentKeysHaveTheirExactProbability) {
  const ZipfianKeys keys(kRows);
  const auto counts = Draw(keys, kRows, kDraws);
  for (const std::uint32_t key : {0u, 1u}) {
    const double expected = kDraws * keys.Probability(key);
    EXPECT_NEAR(counts[key], expected, 4 * std::sqrt(expected)) << key;
  }
}

TEST(ZipfianTest, SharesOfTheFirstTenHundredAndTenThousandKeysFollowTheory) {
  const ZipfianKeys keys(kRows);
  const auto counts = Draw(keys, kRows, kDraws);
  double expected = 0, drawn = 0;
  for (std::uint32_t key = 0; key < 10'000; ++key) {
    expected += keys.Probability(key);
    drawn += static_cast<double>(counts[key]) / kDraws;
    // The continuous approximation is off by up to 2 percentage points.
    if (key == 9 || key == 99 || key == 9'999) {
      EXPECT_NEAR(drawn, expected, 0.02) << key;
    }
  }
}

TEST(ZipfianTest, ProbabilitiesSumToOneAndFallWithThePowerTheta) {
  const ZipfianKeys keys(1'000);
  double sum = 0;
  for (std::uint32_t key = 0; key < 1'000; ++key) sum += keys.Probability(key);
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_NEAR(keys.Probability(0) / keys.Probability(9), std::pow(10, 0.99),
              1e-9);
}

TEST(ZipfianTest, EveryKeyIsWithinASmallTable) {
  for (const std::uint32_t rows : {1u, 2u, 3u, 10u}) {
    const auto counts = Draw(ZipfianKeys(rows), rows, 10'000);
    EXPECT_GT(counts[0], 0) << rows;
    EXPECT_GT(counts[rows - 1], 0) << rows;
  }
}

TEST(ZipfianTest, TheLargestRandomNumberStaysInRange) {
  const auto largest = [] { return ~std::uint64_t{0}; };
  EXPECT_LT(ZipfianKeys(kRows)(largest), kRows);
}

}  // namespace
}  // namespace bench
