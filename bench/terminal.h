// A terminal runs transactions in a closed loop: the next begins when the one
// before has ended and the client's pause is over. Window says when
// transactions count.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

#include "coroutine.h"
#include "histogram.h"

namespace bench {

// Shared by the main thread, which opens and closes it, and all terminals.
// Thread-safe.
class Window {
 public:
  enum class Phase { kWarmUp, kOpen, kClosed };

  Phase Now() const { return phase_.load(std::memory_order_relaxed); }
  void Enter(Phase phase) { phase_.store(phase, std::memory_order_relaxed); }

  // Ends the run because of `error`; the first one is kept.
  void Fail(std::exception_ptr error) {
    std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    Enter(Phase::kClosed);
  }

  void RethrowFailure() {
    std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  // Only a hint when to stop and what to count: nothing is published through
  // it, so relaxed.
  std::atomic<Phase> phase_{Phase::kWarmUp};
  std::mutex mutex_;
  std::exception_ptr error_;
};

struct alignas(64) TerminalRecord {
  Histogram latency;  // of transactions that ended in the open window
  std::uint64_t transactions = 0;
  bool ended = false;
};

template <class Executor, class Terminal>
Coroutine RunTerminal(Executor& executor, Terminal& terminal,
                      std::chrono::nanoseconds client_time, Window& window,
                      TerminalRecord& record) {
  using Clock = std::chrono::steady_clock;
  try {
    auto begin = Clock::now();
    while (window.Now() != Window::Phase::kClosed) {
      co_await terminal.Transaction(executor);
      const auto end = Clock::now();
      ++record.transactions;
      if (window.Now() == Window::Phase::kOpen) {
        record.latency.Record(static_cast<std::uint64_t>(
            std::chrono::nanoseconds(end - begin).count()));
      }
      co_await executor.Pause(client_time);
      begin = client_time.count() == 0 ? end : Clock::now();
    }
  } catch (...) {
    window.Fail(std::current_exception());
  }
  record.ended = true;
}

}  // namespace bench
