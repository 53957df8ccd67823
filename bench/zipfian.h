// ZipfianKeys draws keys 0..n-1 so that key k has probability proportional to 1
// / (k + 1)^theta.
//
// The generator is that of Gray et al., "Quickly Generating Billion-Record
// Synthetic Databases", SIGMOD 1994, which YCSB uses too: keys 0 and 1 have
// exactly their probability, the others follow a continuous approximation. Keys
// are not scrambled, so the frequent rows are neighbours. Thread-safe: drawing
// changes only the caller's random source.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bench {

class ZipfianKeys {
 public:
  // Takes time linear in `keys`, because the normalising sum has no closed
  // form. 0 < theta < 1.
  explicit ZipfianKeys(std::uint32_t keys, double theta = 0.99)
      : keys_(keys),
        sum_(Sum(keys, theta)),
        first_two_(1 + std::pow(0.5, theta)),
        exponent_(1 / (1 - theta)),
        eta_((1 - std::pow(2.0 / keys, 1 - theta)) / (1 - first_two_ / sum_)) {}

  // `random` yields 64 independent random bits per call.
  template <class Random>
  std::uint32_t operator()(Random& random) const {
    const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
    const double mass = uniform * sum_;
    if (mass < 1) return 0;
    if (mass < first_two_) return std::min(1u, keys_ - 1);
    const double key = keys_ * std::pow(eta_ * uniform - eta_ + 1, exponent_);
    // Rounding may carry the largest draw up to keys_.
    return std::min(static_cast<std::uint32_t>(key), keys_ - 1);
  }

  double Probability(std::uint32_t key, double theta = 0.99) const {
    return std::pow(key + 1.0, -theta) / sum_;
  }

 private:
  static double Sum(std::uint32_t keys, double theta) {
    double sum = 0;
    for (std::uint32_t key = 0; key < keys; ++key)
      sum += std::pow(key + 1.0, -theta);
    return sum;
  }

  std::uint32_t keys_;
  double sum_;
  double first_two_;
  double exponent_;
  double eta_;
};

}  // namespace bench
