// Statistics on data whose answer is known.
#include "statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace bench {
namespace {

TEST(StatisticsTest, MeanSigmaAndMedianOfKnownData) {
  const std::vector<double> values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(Mean(values), 5);
  EXPECT_DOUBLE_EQ(SampleSigma(values), std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(Median(values), 4.5);
  EXPECT_DOUBLE_EQ(SampleSigma({3}), 0);
}

TEST(StatisticsTest, SignFlipPIsTheShareOfFlipsAtLeastAsFar) {
  // Only "all positive" and "all negative" reach a sum of 3 or more.
  EXPECT_DOUBLE_EQ(SignFlipP({1, 1, 1}, 1), 0.25);
  EXPECT_DOUBLE_EQ(SignFlipP({1, 1, 1, 1, 1, 1, 1}, 1), 2.0 / 128);
  // Sums of +-1 +-2 +-3: six of eight are at least 2 away from 0.
  EXPECT_DOUBLE_EQ(SignFlipP({1, -2, 3}, 1), 0.75);
  EXPECT_DOUBLE_EQ(SignFlipP({1, -1}, 1), 1);
}

TEST(StatisticsTest, SampledSignFlipPAgreesWithTheBinomialDistribution) {
  // 17 values are sampled. 13 of 17 with one sign: p = 2 P(X >= 13) = 0.049.
  std::vector<double> values(17, 1.0);
  for (std::size_t i = 0; i < 4; ++i) values[i] = -1.0;
  EXPECT_NEAR(SignFlipP(values, 1), 0.0490, 0.004);
}

TEST(StatisticsTest, BootstrapIntervalOfConstantDataIsThatConstant) {
  const Interval interval = BootstrapMean95({5, 5, 5, 5}, 1);
  EXPECT_DOUBLE_EQ(interval.low, 5);
  EXPECT_DOUBLE_EQ(interval.high, 5);
}

TEST(StatisticsTest, BootstrapIntervalIsAboutTwoStandardErrorsWide) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> draw(100, 10);
  std::vector<double> values(400);
  for (double& value : values) value = draw(random);
  const Interval interval = BootstrapMean95(values, 1);
  const double error = SampleSigma(values) / std::sqrt(400.0);
  EXPECT_NEAR(interval.low, Mean(values) - 1.96 * error, 0.2 * error);
  EXPECT_NEAR(interval.high, Mean(values) + 1.96 * error, 0.2 * error);
}

TEST(StatisticsTest, PairedRatioIgnoresWhatBothRunsOfABlockShare) {
  const Ratio ratio = PairedRatio({110, 220, 55}, {100, 200, 50}, 1);
  EXPECT_NEAR(ratio.mean, 1.1, 1e-12);
  EXPECT_NEAR(ratio.range.low, 1.1, 1e-12);
  EXPECT_NEAR(ratio.range.high, 1.1, 1e-12);
  EXPECT_DOUBLE_EQ(ratio.p, 0.25);
  EXPECT_EQ(ratio.pairs, 3u);
}

TEST(StatisticsTest, ARatioAndItsInverseCancel) {
  const Ratio ratio = PairedRatio({200, 100}, {100, 200}, 1);
  EXPECT_NEAR(ratio.mean, 1, 1e-12);
  EXPECT_DOUBLE_EQ(ratio.p, 1);
}

}  // namespace
}  // namespace bench
