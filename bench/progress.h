// Progress tells on standard error, one line per step, what happens and how
// long it will take.
#pragma once
#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

#include "results.h"

namespace bench {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  // One line per second at most, so call it as often as convenient.
  void Loading(std::uint32_t loaded, std::uint32_t rows) {
    const auto now = Clock::now();
    if (loaded == 0 || now - spoken_ < std::chrono::seconds(1)) return;
    spoken_ = now;
    const double spent = Seconds(now - begin_);
    Say("loading: {} of {} rows, {} left", loaded, rows,
        Text(spent / loaded * (rows - loaded)));
  }

  // The runs begin; `left` of them are to be done.
  void Running(const Plan& plan, std::size_t left) {
    begin_ = Clock::now();
    done_ = 0;
    left_ = left;
    Say("running: {} runs, about {}", left,
        Text(static_cast<double>(left) * (plan.seconds + plan.warmup + 0.2)));
  }

  void Finished(const Run& run) {
    ++done_;
    --left_;
    const double each =
        Seconds(Clock::now() - begin_) / static_cast<double>(done_);
    Say("block {}, {}: {:.0f} TPS, {} left", run.block + 1, run.strategy,
        run.tps, Text(each * static_cast<double>(left_)));
  }

 private:
  static double Seconds(Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
  }

  static std::string Text(double seconds) {
    const auto whole = static_cast<long>(seconds + 0.5);
    return whole < 60 ? fmt::format("{} s", whole)
                      : fmt::format("{} min {} s", whole / 60, whole % 60);
  }

  template <class... Args>
  static void Say(fmt::format_string<Args...> format, Args&&... args) {
    const std::string line = fmt::format(format, std::forward<Args>(args)...);
    // Progress that cannot be shown is no reason to stop.
    std::fprintf(stderr, "tps: %s\n", line.c_str());
  }

  Clock::time_point begin_ = Clock::now();
  Clock::time_point spoken_ = begin_;
  std::size_t done_ = 0;
  std::size_t left_ = 0;
};

}  // namespace bench
