#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace bench {
namespace {

constexpr int kBootstrapSamples = 10'000;
constexpr int kSampledFlips = 100'000;
constexpr std::size_t kMostExact = 16;

// Sums that are equal on paper may differ in the last bits, depending on the
// order of additions.
bool AtLeastAsFar(double sum, double observed) {
  return std::abs(sum) >= std::abs(observed) * (1 - 1e-12);
}

double FlippedSum(const std::vector<double>& values, std::uint64_t signs) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += (signs >> i & 1) ? values[i] : -values[i];
  return sum;
}

double ExactSignFlipP(const std::vector<double>& values, double observed) {
  const std::uint64_t flips = std::uint64_t{1} << values.size();
  std::uint64_t far = 0;
  for (std::uint64_t signs = 0; signs < flips; ++signs) {
    far += AtLeastAsFar(FlippedSum(values, signs), observed);
  }
  return static_cast<double>(far) / static_cast<double>(flips);
}

double SampledSignFlipP(const std::vector<double>& values, double observed,
                        std::uint64_t seed) {
  std::mt19937_64 random(seed);
  int far = 0;
  for (int flip = 0; flip < kSampledFlips; ++flip) {
    double sum = 0;
    for (double value : values) sum += (random() & 1) ? value : -value;
    far += AtLeastAsFar(sum, observed);
  }
  // The observed signs are one of the flips, so p is never 0.
  return (far + 1.0) / (kSampledFlips + 1.0);
}

}  // namespace

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

double SampleSigma(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = Mean(values);
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half]
                                : (values[half - 1] + values[half]) / 2;
}

Interval BootstrapMean95(const std::vector<double>& values,
                         std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
  std::vector<double> means(kBootstrapSamples);
  for (double& mean : means) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[pick(random)];
    mean = sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  return {means[kBootstrapSamples / 40],
          means[kBootstrapSamples - 1 - kBootstrapSamples / 40]};
}

double SignFlipP(const std::vector<double>& values, std::uint64_t seed) {
  const double observed = std::accumulate(values.begin(), values.end(), 0.0);
  return values.size() <= kMostExact ? ExactSignFlipP(values, observed)
                                     : SampledSignFlipP(values, observed, seed);
}

Ratio PairedRatio(const std::vector<double>& numerator,
                  const std::vector<double>& denominator, std::uint64_t seed) {
  std::vector<double> logs(numerator.size());
  for (std::size_t i = 0; i < logs.size(); ++i)
    logs[i] = std::log(numerator[i] / denominator[i]);
  const Interval range = BootstrapMean95(logs, seed);
  return {std::exp(Mean(logs)),
          {std::exp(range.low), std::exp(range.high)},
          SignFlipP(logs, seed),
          logs.size()};
}

}  // namespace bench
