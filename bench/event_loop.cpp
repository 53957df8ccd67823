#include "event_loop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <system_error>

namespace bench {

EventLoop::EventLoop() : wakeup_(eventfd(0, EFD_CLOEXEC)) {
  if (wakeup_ < 0)
    throw std::system_error(errno, std::generic_category(), "eventfd");
}

EventLoop::~EventLoop() { close(wakeup_); }

void EventLoop::FireTimers() {
  const auto now = Clock::now();
  while (!timers_.empty() && timers_.top().when <= now) {
    const std::coroutine_handle<> coroutine = timers_.top().coroutine;
    timers_.pop();
    coroutine.resume();
  }
}

void EventLoop::Sleep() {
  Callback* none = nullptr;
  if (!ready_.compare_exchange_strong(none, &asleep_,
                                      std::memory_order_relaxed))
    return;  // L2
  if (!timers_.empty()) {
    const auto left = timers_.top().when - Clock::now();
    const auto ns =
        std::max<std::int64_t>(0, std::chrono::nanoseconds(left).count());
    const timespec timeout{ns / 1'000'000'000, ns % 1'000'000'000};
    pollfd wakeup{wakeup_, POLLIN, 0};
    if (ppoll(&wakeup, 1, &timeout, nullptr) <= 0) return;  // time for a timer
  }
  // A token written just after an earlier timer woke the loop may still be
  // there. Then this read returns at once, which costs one round and loses
  // nothing.
  std::uint64_t tokens;
  if (read(wakeup_, &tokens, sizeof tokens) < 0 && errno != EINTR)
    std::abort();  // L3
}

void EventLoop::WakeUp() {
  const std::uint64_t token = 1;
  if (write(wakeup_, &token, sizeof token) < 0) std::abort();
}

}  // namespace bench
