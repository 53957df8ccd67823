// RelacyPlatform runs the shipping headers under the Relacy race detector:
// every operation on an atomic, a mutex or a condition variable is a point at
// which the search may switch threads, and loads may return older stores.
//
// What a timed wait means is a parameter, as it decides what a model shows:
//
//   kNever   the timer never fires: a wake-up that only the timer would bring
//            is a deadlock. For promises that must not lean on a timer.
//   kFires   Relacy's own: may fire at any time. Switches deadlock detection
//            off altogether; shown once, as a warning.
//   kParks   the sleeper polls again whenever anybody has written anything,
//            and otherwise stays parked: the assumption "the timer fires",
//            without the endless polling. A task never found is a deadlock.
//   kBrief   as kParks for at most a millisecond, as kNever for longer.
#pragma once

#include "pool/platform.h"
#include "relacy_world.h"

namespace models {

enum class Timer { kNever, kFires, kParks, kBrief };

template <Timer kTimer = Timer::kNever>
struct RelacyPlatform {
  using ThreadId = unsigned;  // 0: no thread

  static constexpr rl::memory_order relaxed = rl::mo_relaxed;
  static constexpr rl::memory_order acquire = rl::mo_acquire;
  static constexpr rl::memory_order release = rl::mo_release;

  static consteval rl::memory_order Order(workerpool::Site,
                                          rl::memory_order order) {
    return order;
  }

  template <class T>
  class Atomic {
   public:
    Atomic() : Atomic(T{}) {}
    Atomic(T value) : atomic_(value) {}  // NOLINT: as std::atomic

    T load(rl::memory_order order, WORKERPOOL_WHERE) const {
      const KeepsExceptions keep;
      return atomic_.load(order, At(file, line));
    }
    void store(T value, rl::memory_order order, WORKERPOOL_WHERE) {
      const KeepsExceptions keep;
      atomic_.store(value, order, At(file, line));
      World::Get().Wrote(At(file, line));
    }
    bool compare_exchange_weak(T& expected, T desired, rl::memory_order order,
                               WORKERPOOL_WHERE) {
      const KeepsExceptions keep;
      const bool wrote = atomic_.compare_exchange_weak(expected, desired, order,
                                                       At(file, line));
      if (wrote) World::Get().Wrote(At(file, line));
      return wrote;
    }
    T fetch_add(T value, rl::memory_order order, WORKERPOOL_WHERE) {
      return Modify(rl::rmw_type_t<rl::rmw_type_add>(), value, order,
                    At(file, line));
    }
    T fetch_sub(T value, rl::memory_order order, WORKERPOOL_WHERE) {
      return Modify(rl::rmw_type_t<rl::rmw_type_sub>(), value, order,
                    At(file, line));
    }
    T fetch_or(T value, rl::memory_order order, WORKERPOOL_WHERE) {
      return Modify(rl::rmw_type_t<rl::rmw_type_or>(), value, order,
                    At(file, line));
    }
    T fetch_and(T value, rl::memory_order order, WORKERPOOL_WHERE) {
      return Modify(rl::rmw_type_t<rl::rmw_type_and>(), value, order,
                    At(file, line));
    }

   private:
    template <class Kind>
    T Modify(Kind kind, T value, rl::memory_order order,
             const rl::debug_info& info) {
      const KeepsExceptions keep;
      const T before = atomic_.rmw(kind, value, order, info);
      World::Get().Wrote(info);
      return before;
    }

    mutable rl::atomic<T> atomic_;
  };

  // Plain data of any type: Relacy watches a shadow of it for races.
  template <class T>
  class Var {
   public:
    Var() : shadow_(0) {}
    template <class... Args>
    explicit Var(Args&&... args)
        : value_(std::forward<Args>(args)...), shadow_(0) {}

    T& Write(WORKERPOOL_WHERE) {
      shadow_(At(file, line)) = 0;
      return value_;
    }
    const T& Read(WORKERPOOL_WHERE) const {
      static_cast<void>(static_cast<int>(shadow_(At(file, line))));
      return value_;
    }

   private:
    T value_{};
    rl::var<int> shadow_;
  };

  class Mutex {
   public:
    void Acquire(const rl::debug_info& info) {
      const KeepsExceptions keep;
      mutex_.lock(info);
    }
    void Release(const rl::debug_info& info) {
      const KeepsExceptions keep;
      mutex_.unlock(info);
    }

   private:
    friend struct RelacyPlatform;
    rl::mutex mutex_;
  };

  class Lock {
   public:
    explicit Lock(Mutex& mutex, WORKERPOOL_WHERE) : mutex_(mutex) {
      lock(file, line);
    }
    ~Lock() {
      if (owns_) unlock();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    void lock(WORKERPOOL_WHERE) {
      mutex_.Acquire(At(file, line));
      owns_ = true;
    }
    void unlock(WORKERPOOL_WHERE) {
      owns_ = false;
      mutex_.Release(At(file, line));
    }
    // For Relacy's condition variable, whose wait must not switch between
    // unlocking and going to sleep.
    void lock(const rl::debug_info& info) { mutex_.Acquire(info); }
    void unlock(const rl::debug_info& info) { mutex_.Release(info); }

   private:
    Mutex& mutex_;
    bool owns_ = false;
  };

  class CondVar {
   public:
    CondVar() { condition_.init(true, At(__FILE__, __LINE__)); }
    ~CondVar() { condition_.deinit(At(__FILE__, __LINE__)); }

    void wait(Lock& lock, WORKERPOOL_WHERE) {
      const KeepsExceptions keep;
      condition_.wait(lock, false, At(file, line));
    }
    std::cv_status wait_for(Lock& lock, std::chrono::nanoseconds duration,
                            WORKERPOOL_WHERE) {
      const KeepsExceptions keep;
      const rl::debug_info info = At(file, line);
      const bool brief = duration <= std::chrono::milliseconds(1);
      if (kTimer == Timer::kParks || (kTimer == Timer::kBrief && brief)) {
        lock.unlock(info);  // nothing can switch from here to the park
        World::Get().SleepUntilTimerFires(info);
        lock.lock(info);
        return std::cv_status::timeout;
      }
      const bool timed = kTimer == Timer::kFires;
      return condition_.wait(lock, timed, info) ==
                     rl::sema_wakeup_reason_timeout
                 ? std::cv_status::timeout
                 : std::cv_status::no_timeout;
    }
    void notify_one(WORKERPOOL_WHERE) {
      const KeepsExceptions keep;
      condition_.notify_one(At(file, line));
      World::Get().Wrote(At(file, line));
    }
    void notify_all(WORKERPOOL_WHERE) {
      const KeepsExceptions keep;
      condition_.notify_all(At(file, line));
      World::Get().Wrote(At(file, line));
    }

   private:
    struct Tag;
    rl::condvar<Tag> condition_;
  };

  class Thread {
   public:
    template <class F>
    Thread(std::string, F body, WORKERPOOL_WHERE) {
      World& world = World::Get();
      if (++world.threads_created == world.fail_creation) {
        throw NoThread();
      }
      if (world.threads_created > world.threads_allowed) {
        rl::ctx().fail_test("the model allows too few threads",
                            rl::test_result_inconsistent_test_suite,
                            At(file, line));
      }
      ++world.threads_alive;
      const KeepsExceptions keep;
      handle_ = rl::ctx().create_thread(&Run<F>, new F(std::move(body)));
    }

    void join(WORKERPOOL_WHERE) {
      const KeepsExceptions keep;
      handle_->wait(false, false, At(file, line));
    }

   private:
    template <class F>
    static void* Run(void* body) {
      KeepsExceptions::StartFiber();
      const std::unique_ptr<F> owned(static_cast<F*>(body));
      (*owned)();
      --World::Get().threads_alive;
      return nullptr;
    }

    rl::win_waitable_object* handle_ = nullptr;
  };

  static ThreadId ThisThread() { return rl::thread_index() + 1; }

  static void Pause(WORKERPOOL_WHERE) {
    const KeepsExceptions keep;
    rl::yield(1, At(file, line));
  }

  template <class Body, class Handler>
  static void Contain(Body&& body, Handler&& on_exception) {
    try {
      body();
    } catch (...) {
      on_exception(std::current_exception());
    }
  }

  static void Check(bool holds, const char* message, WORKERPOOL_WHERE) {
    if (holds) return;
    rl::ctx().fail_test(message, rl::test_result_user_assert_failed,
                        At(file, line));
  }

  static void Die(const char* message, WORKERPOOL_WHERE) {
    rl::ctx().fail_test(message, rl::test_result_user_assert_failed,
                        At(file, line));
  }
};

static_assert(workerpool::Platform<RelacyPlatform<>>);

// Lets a model wait for an event without a protocol of its own: one count, up
// by Post, down by Wait.
class Latch {
 public:
  Latch() { semaphore_.init(false, 0, 64, At(__FILE__, __LINE__)); }
  ~Latch() { semaphore_.deinit(At(__FILE__, __LINE__)); }
  Latch(const Latch&) = delete;
  Latch& operator=(const Latch&) = delete;

  void Post(WORKERPOOL_WHERE) {
    const KeepsExceptions keep;
    unsigned before = 0;
    semaphore_.post(1, before, At(file, line));
    World::Get().Wrote(At(file, line));
  }
  void Wait(WORKERPOOL_WHERE) {
    const KeepsExceptions keep;
    semaphore_.wait(false, false, At(file, line));
  }

 private:
  struct Tag;
  rl::semaphore<Tag> semaphore_;
};

}  // namespace models
