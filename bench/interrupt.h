// Interrupts turn SIGINT and SIGTERM into an exception of the main thread at
// the places where it waits anyway, so that everything is cleaned up by
// destructors.
#pragma once
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>

namespace bench {

struct Interrupted {
  int signal;
};

class Interrupts {
 public:
  using Clock = std::chrono::steady_clock;

  // Construct before the first thread: threads inherit that the signals are
  // blocked. SIGPIPE is ignored, because a reader that goes away must not leave
  // temporary files behind.
  Interrupts() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    signal(SIGPIPE, SIG_IGN);
  }

  // Sleeps until `when`; throws Interrupted if a signal comes before that or is
  // pending.
  void WaitUntil(Clock::time_point when) const {
    for (;;) {
      const std::chrono::nanoseconds left = when - Clock::now();
      const auto ns = std::max<std::int64_t>(0, left.count());
      const timespec timeout{ns / 1'000'000'000, ns % 1'000'000'000};
      const int signal = sigtimedwait(&signals_, nullptr, &timeout);
      if (signal > 0) throw Interrupted{signal};
      if (errno == EAGAIN) return;  // the time is over
    }
  }

 private:
  sigset_t signals_;
};

}  // namespace bench
