// Watch tells on stderr how a soak goes, ends it when its time is over or a
// signal asks for it, and aborts one that makes no progress. The hang alarm is
// the only time limit that could fail a soak, and is generous.
#pragma once

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "soak/ledger.h"

namespace soak {

// Where the soak stands: names that live for ever.
struct Stage {
  std::atomic<const char*> strategy{""}, pool{""}, end{""}, step{""};

  std::string Text() const {
    return std::string(strategy) + ", " + pool.load() + ", " + end.load() +
           ": " + step.load();
  }
};

class Watch {
 public:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  // Construct before any other thread: threads inherit that the signals are
  // blocked.
  Watch(Totals& totals, const Stage& stage, Seconds length, Seconds alarm)
      : totals_(totals), stage_(stage), length_(length), alarm_(alarm) {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::jthread([this](std::stop_token stop) { Look(stop); });
  }

  bool Over() const { return signal_ != 0 || Elapsed() >= length_; }

  // The one that asked for an end; 0: none.
  int Signal() const { return signal_; }

  Seconds Elapsed() const { return Clock::now() - begin_; }

 private:
  void Look(std::stop_token stop) {
    Seconds next_line(5);
    while (!stop.stop_requested()) {
      const timespec tick{0, 100'000'000};
      const int signal = sigtimedwait(&signals_, nullptr, &tick);
      if (signal > 0) {
        // Whoever asks twice does not want to wait for the sums.
        if (signal_ != 0) std::_Exit(128 + signal);
        signal_ = signal;
      }
      CheckProgress();
      if (Elapsed() < next_line) continue;
      next_line += Seconds(5);
      std::fprintf(stderr, "soak: %.0f s, %.0f s left: %s\n", Elapsed().count(),
                   std::max(0.0, (length_ - Elapsed()).count()),
                   Text(totals_).c_str());
    }
  }

  void CheckProgress() {
    if (const std::uint64_t sum = totals_.Sum(); sum != last_sum_) {
      last_sum_ = sum;
      last_progress_ = Clock::now();
    } else if (Clock::now() - last_progress_ > alarm_) {
      std::fprintf(stderr, "soak: HANG: no progress for %.0f s in %s; %s\n",
                   alarm_.count(), stage_.Text().c_str(),
                   Text(totals_).c_str());
      std::abort();
    }
  }

  Totals& totals_;
  const Stage& stage_;
  const Seconds length_, alarm_;
  const Clock::time_point begin_ = Clock::now();
  std::atomic<int> signal_{0};
  sigset_t signals_;
  std::uint64_t last_sum_ = 0;
  Clock::time_point last_progress_ = begin_;
  std::jthread thread_;
};

}  // namespace soak
