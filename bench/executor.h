// An executor decides where a terminal's statements run and how it waits
// between transactions. Transactions are written once, against this interface:
//
//   co_await executor.Run(statement);   runs it, rethrows what it threw
//   co_await executor.Pause(duration);  time spent outside the pool
//
// PoolExecutor sends each statement to a pool and resumes the terminal on the
// event loop; InlineExecutor runs it right there, which is the ceiling for any
// pool.
#pragma once
#include <chrono>
#include <coroutine>
#include <exception>
#include <thread>
#include <utility>

#include "event_loop.h"
#include "task_counter.h"

namespace bench {

template <class Pool>
class PoolExecutor {
 public:
  PoolExecutor(Pool& pool, EventLoop& loop, TaskCounter& executed)
      : pool_(pool), loop_(loop), executed_(executed) {}

  template <class Work>
  class Statement {
   public:
    Statement(PoolExecutor& executor, Work work)
        : executor_(executor), work_(std::move(work)) {}

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> terminal) {
      done_.resume = terminal;
      executor_.pool_.Submit([this] { Execute(); });
    }
    void await_resume() const {
      if (error_) std::rethrow_exception(error_);
    }

   private:
    void Execute() noexcept {
      try {
        executor_.executed_.Count();
        work_();
      } catch (...) {
        error_ = std::current_exception();
      }
      // From here on the loop may resume the terminal, which destroys this
      // statement.
      executor_.loop_.Post(done_);
    }

    PoolExecutor& executor_;
    Work work_;
    EventLoop::Callback done_;
    std::exception_ptr error_;
  };

  template <class Work>
  Statement<Work> Run(Work work) {
    return {*this, std::move(work)};
  }

  class Timer {
   public:
    Timer(EventLoop& loop, std::chrono::nanoseconds duration)
        : loop_(loop), duration_(duration) {}
    bool await_ready() const noexcept { return duration_.count() == 0; }
    void await_suspend(std::coroutine_handle<> terminal) {
      loop_.ResumeAt(EventLoop::Clock::now() + duration_, terminal);
    }
    void await_resume() const noexcept {}

   private:
    EventLoop& loop_;
    std::chrono::nanoseconds duration_;
  };

  Timer Pause(std::chrono::nanoseconds duration) { return {loop_, duration}; }

 private:
  Pool& pool_;
  EventLoop& loop_;
  TaskCounter& executed_;
};

class InlineExecutor {
 public:
  explicit InlineExecutor(TaskCounter& executed) : executed_(executed) {}

  template <class Work>
  std::suspend_never Run(Work work) {
    executed_.Count();
    work();
    return {};
  }

  std::suspend_never Pause(std::chrono::nanoseconds duration) {
    if (duration.count() > 0) std::this_thread::sleep_for(duration);
    return {};
  }

 private:
  TaskCounter& executed_;
};

}  // namespace bench
