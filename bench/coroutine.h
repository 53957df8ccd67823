// Coroutine is what a transaction and a terminal are written in: it starts at
// once, suspends at each statement that runs elsewhere, and resumes whoever
// awaits it when it ends.
//
// Starting at once matters where statements run inline: such a coroutine has
// ended before it is awaited, nothing is suspended, and a terminal's endless
// loop does not deepen the stack. Not thread-safe: a coroutine is resumed only
// by the thread that owns its terminal.
#pragma once
#include <coroutine>
#include <exception>
#include <utility>

namespace bench {

class [[nodiscard]] Coroutine {
 public:
  struct promise_type {
    struct ResumeAwaiter {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(
          std::coroutine_handle<promise_type> ended) noexcept {
        return ended.promise().awaiter;
      }
      void await_resume() noexcept {}
    };

    Coroutine get_return_object() {
      return Coroutine(Handle::from_promise(*this));
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    ResumeAwaiter final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }

    std::coroutine_handle<> awaiter = std::noop_coroutine();
    std::exception_ptr error;
  };

  Coroutine(Coroutine&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)) {}
  Coroutine& operator=(Coroutine&&) = delete;
  ~Coroutine() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return handle_.done(); }
  void await_suspend(std::coroutine_handle<> awaiter) noexcept {
    handle_.promise().awaiter = awaiter;
  }
  // Rethrows what ended the coroutine, if it did not end by itself.
  void await_resume() const {
    if (handle_.promise().error)
      std::rethrow_exception(handle_.promise().error);
  }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Coroutine(Handle handle) : handle_(handle) {}

  Handle handle_;
};

}  // namespace bench
