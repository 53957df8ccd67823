// Histogram against the exact answer.
#include "histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace bench {
namespace {

std::vector<std::uint64_t> LogNormalDurations(std::size_t count) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> draw(10, 2);  // median 22 us, long tail
  std::vector<std::uint64_t> values(count);
  for (auto& value : values) value = static_cast<std::uint64_t>(draw(random));
  return values;
}

double ExactPercentile(std::vector<std::uint64_t> values, double percent) {
  std::sort(values.begin(), values.end());
  const auto rank =
      std::ceil(percent / 100 * static_cast<double>(values.size()));
  return static_cast<double>(values[static_cast<std::size_t>(rank) - 1]);
}

TEST(HistogramTest, PercentilesAreWithinOnePerCentOfTheExactOnes) {
  const auto values = LogNormalDurations(100'000);
  Histogram histogram;
  for (const auto value : values) histogram.Record(value);
  for (const double percent : {1.0, 50.0, 95.0, 99.0, 99.9, 100.0}) {
    const double exact = ExactPercentile(values, percent);
    EXPECT_NEAR(histogram.Percentile(percent), exact, 0.01 * exact) << percent;
  }
}

TEST(HistogramTest, SmallDurationsAreExact) {
  Histogram histogram;
  for (std::uint64_t value = 0; value < 128; ++value) histogram.Record(value);
  EXPECT_EQ(histogram.Percentile(50), 63);
  EXPECT_EQ(histogram.Percentile(100), 127);
}

TEST(HistogramTest, EveryPowerOfTwoHasABucketOfItsOwn) {
  for (int bit = 0; bit < 40; ++bit) {
    Histogram histogram;
    const std::uint64_t value = std::uint64_t{1} << bit;
    histogram.Record(value - 1);
    histogram.Record(value);
    EXPECT_LE(histogram.Percentile(50), static_cast<double>(value - 1)) << bit;
    EXPECT_EQ(histogram.Percentile(100), static_cast<double>(value)) << bit;
  }
}

TEST(HistogramTest, DurationsBeyondTheRangeAreCountedAndMaxStaysExact) {
  Histogram histogram;
  histogram.Record(std::uint64_t{1} << 60);
  EXPECT_EQ(histogram.Count(), 1u);
  EXPECT_EQ(histogram.Max(), std::uint64_t{1} << 60);
}

TEST(HistogramTest, MergeEqualsRecordingEverythingInOne) {
  const auto values = LogNormalDurations(1'000);
  Histogram halves[2], whole;
  for (std::size_t i = 0; i < values.size(); ++i) {
    halves[i % 2].Record(values[i]);
    whole.Record(values[i]);
  }
  halves[0].Merge(halves[1]);
  EXPECT_EQ(halves[0].Count(), whole.Count());
  EXPECT_EQ(halves[0].Max(), whole.Max());
  EXPECT_EQ(halves[0].Percentile(99), whole.Percentile(99));
}

TEST(HistogramTest, EmptyHistogramHasPercentileZero) {
  EXPECT_EQ(Histogram().Percentile(50), 0);
}

}  // namespace
}  // namespace bench
