// The statistics of the report: runs of two strategies are compared in pairs,
// one pair per block, because a block's runs share the machine's mood and whole
// blocks do not.
//
// All functions are pure and thread-safe; the resampling ones are deterministic
// in their seed.
#pragma once
#include <cstdint>
#include <vector>

namespace bench {

double Mean(const std::vector<double>& values);

// Sample standard deviation (divides by n - 1); 0 for fewer than two values.
double SampleSigma(const std::vector<double>& values);

double Median(std::vector<double> values);

struct Interval {
  double low;
  double high;
};

// Bootstrap percentile interval that covers the mean with probability 95 %.
Interval BootstrapMean95(const std::vector<double>& values, std::uint64_t seed);

// Two-sided p value of "the values are symmetric around 0": the share of sign
// flips whose mean is at least as far from 0. Exact up to 16 values, sampled
// beyond. With n values it is never below 2 / 2^n, so three blocks cannot reach
// 0.05.
double SignFlipP(const std::vector<double>& values, std::uint64_t seed);

struct Ratio {
  double mean;     // geometric mean of the pairs' ratios
  Interval range;  // 95 % interval of `mean`
  double p;        // sign-flip p value of "the ratio is 1"
  std::size_t pairs;
};

// Compares pairs numerator[i] / denominator[i] on the log scale, where a ratio
// and its inverse weigh the same. Both vectors have the same length, at least
// 1, and positive values.
Ratio PairedRatio(const std::vector<double>& numerator,
                  const std::vector<double>& denominator, std::uint64_t seed);

}  // namespace bench
