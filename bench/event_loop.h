// EventLoop is the network thread of a database server, without the network:
// one thread that runs callbacks, and sleeps when there are none.
//
//   Poster (any thread)                    Loop
//   P1 link the callback into ready_       L1 take all of ready_
//   P2 if that replaced kAsleep:           L2 none: replace nullptr by kAsleep
//      write the eventfd                   L3 read the eventfd (sleeps)
//
// Invariant (no lost wake-up): P1 and L2 change the same word, so either L2
// fails and the loop sees the callback, or P1 finds kAsleep and writes. A
// poster therefore makes a system call only when the loop sleeps or is about
// to. Not promised: absence of spurious wake-ups.
#pragma once
#include <atomic>
#include <chrono>
#include <coroutine>
#include <queue>
#include <vector>

namespace bench {

class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;

  // What the loop resumes; whoever posts it keeps it alive until it is resumed.
  struct Callback {
    std::coroutine_handle<> resume;
    Callback* next = nullptr;
  };

  // Throws std::system_error if the process is out of file descriptors.
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Hands `callback` to the loop's thread. Thread-safe. The callback may be
  // gone when this returns.
  void Post(Callback& callback) {
    Callback* head = ready_.load(std::memory_order_relaxed);
    do {
      callback.next = head == &asleep_ ? nullptr : head;
      // P1 releases the callback and what its statement wrote to L1. Without it
      // the loop could resume a coroutine whose result it does not see.
    } while (!ready_.compare_exchange_weak(
        head, &callback, std::memory_order_release, std::memory_order_relaxed));
    if (head == &asleep_) WakeUp();  // P2
  }

  // Resumes `coroutine` on the loop's thread at `when` or a little later.
  // Loop's thread only.
  void ResumeAt(Clock::time_point when, std::coroutine_handle<> coroutine) {
    timers_.push({when, coroutine});
  }

  // Runs callbacks and timers until `finished()`, asked after each batch, says
  // so.
  template <class Finished>
  void Run(Finished finished) {
    while (!finished()) {
      if (!timers_.empty()) FireTimers();
      Callback* batch = TakeAll();
      if (batch == nullptr && !finished()) Sleep();
      while (batch != nullptr) {
        // Read first: the callback ends with its coroutine.
        Callback* next = batch->next;
        batch->resume.resume();
        batch = next;
      }
    }
  }

 private:
  struct Timer {
    Clock::time_point when;
    std::coroutine_handle<> coroutine;
    // The earliest on top.
    bool operator<(const Timer& other) const { return when > other.when; }
  };

  // All posted callbacks, oldest first.
  Callback* TakeAll() {
    if (ready_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    // L1 pairs with P1.
    Callback* newest = ready_.exchange(nullptr, std::memory_order_acquire);
    if (newest == &asleep_) return nullptr;
    Callback* oldest = nullptr;
    while (newest != nullptr) {
      Callback* next = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = next;
    }
    return oldest;
  }

  void FireTimers();
  void Sleep();
  void WakeUp();

  // Only its address is used: the value of ready_ while the loop sleeps.
  Callback asleep_;
  // Posters write this word, and must not slow down what else the loop reads.
  alignas(64) std::atomic<Callback*> ready_{nullptr};
  alignas(64) std::priority_queue<Timer> timers_;
  int wakeup_;
};

}  // namespace bench
