// Histogram counts durations in buckets whose width grows with the value, so
// that recording is one increment and a percentile is off by less than 1 %.
//
// Buckets are log-linear: values below 128 ns have a bucket each; above, every
// power of two is cut into 64 equal buckets. A percentile is the middle of its
// bucket; the largest value is kept exactly. Not promised: thread-safety. Each
// terminal records into its own histogram; they are merged later.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bench {

class Histogram {
 public:
  // Counts one duration. Beyond kLargest (18 minutes) only Max() tells values
  // apart.
  void Record(std::uint64_t nanoseconds) {
    ++counts_[Index(std::min(nanoseconds, kLargest))];
    ++total_;
    max_ = std::max(max_, nanoseconds);
  }

  void Merge(const Histogram& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      counts_[i] += other.counts_[i];
    total_ += other.total_;
    max_ = std::max(max_, other.max_);
  }

  // The duration in nanoseconds that `percent` per cent of the recorded ones do
  // not exceed (nearest rank); 0 if nothing was recorded.
  double Percentile(double percent) const {
    if (total_ == 0) return 0;
    const auto wanted = std::ceil(percent / 100 * static_cast<double>(total_));
    const auto rank =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= rank) return std::min(Middle(i), static_cast<double>(max_));
    }
    return static_cast<double>(max_);
  }

  std::uint64_t Count() const { return total_; }
  std::uint64_t Max() const { return max_; }

 private:
  static constexpr int kSubBits = 6;
  static constexpr std::size_t kSub = std::size_t{1} << kSubBits;
  static constexpr int kBits = 40;
  static constexpr std::uint64_t kLargest = (std::uint64_t{1} << kBits) - 1;

  static constexpr std::size_t Index(std::uint64_t value) {
    const int width = static_cast<int>(std::bit_width(value));
    const int shift = std::max(0, width - (kSubBits + 1));
    return static_cast<std::size_t>(shift) * kSub +
           static_cast<std::size_t>(value >> shift);
  }

  static double Middle(std::size_t index) {
    if (index < 2 * kSub) return static_cast<double>(index);
    const std::size_t shift = index / kSub - 1;
    const std::uint64_t first = static_cast<std::uint64_t>(index - shift * kSub)
                                << shift;
    return static_cast<double>(first) +
           (std::exp2(static_cast<double>(shift)) - 1) / 2;
  }

  std::array<std::uint64_t, (kBits - kSubBits + 1) * kSub> counts_{};
  std::uint64_t total_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace bench
