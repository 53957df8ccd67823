// Task carries a callable from its submitter to a worker: move-only, and
// without heap for callables of up to 48 bytes that move without throwing.
// Needs no platform: one thread at a time owns a Task.
#pragma once

#include <cstddef>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

namespace workerpool::inline v1 {

class Task {
 public:
  static constexpr std::size_t kInlineBytes = 48;

  Task() = default;

  // Strong guarantee: if this throws, f is untouched, unless it is f's own
  // move constructor that threw.
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Task> &&
           std::is_invocable_v<std::decay_t<F>&>) explicit Task(F&& f) {
    using Callable = std::decay_t<F>;
    if constexpr (kFitsInline<Callable>) {
      ::new (static_cast<void*>(storage_)) Callable(std::forward<F>(f));
    } else {
      ::new (static_cast<void*>(storage_))
          Callable*(new Callable(std::forward<F>(f)));
    }
    ops_ = &kOps<Callable>;
  }

  Task(Task&& other) noexcept { TakeFrom(other); }

  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      Reset();
      TakeFrom(other);
    }
    return *this;
  }

  ~Task() { Reset(); }

  explicit operator bool() const { return ops_ != nullptr; }

  // Runs the callable, which there must be; it stays alive until Reset.
  void operator()() { ops_->run(storage_); }

  // Destroys the callable.
  void Reset() noexcept {
    if (ops_ != nullptr) std::exchange(ops_, nullptr)->destroy(storage_);
  }

 private:
  struct Ops {
    void (*run)(void*);
    void (*relocate)(void* from, void* to) noexcept;
    void (*destroy)(void*) noexcept;
  };

  template <class Callable>
  static constexpr bool kFitsInline =
      sizeof(Callable) <= kInlineBytes &&
      alignof(Callable) <= alignof(std::max_align_t) &&
      std::is_nothrow_move_constructible_v<Callable>;

  template <class Callable>
  static Callable* Get(void* storage) noexcept {
    if constexpr (kFitsInline<Callable>) {
      return std::launder(static_cast<Callable*>(storage));
    } else {
      return *std::launder(static_cast<Callable**>(storage));
    }
  }

  template <class Callable>
  static void Relocate(void* from, void* to) noexcept {
    if constexpr (kFitsInline<Callable>) {
      Callable* callable = Get<Callable>(from);
      ::new (to) Callable(std::move(*callable));
      callable->~Callable();
    } else {
      ::new (to) Callable*(Get<Callable>(from));
    }
  }

  template <class Callable>
  static void Destroy(void* storage) noexcept {
    if constexpr (kFitsInline<Callable>) {
      Get<Callable>(storage)->~Callable();
    } else {
      delete Get<Callable>(storage);
    }
  }

  template <class Callable>
  static constexpr Ops kOps = {
      [](void* storage) { std::invoke(*Get<Callable>(storage)); },
      &Relocate<Callable>, &Destroy<Callable>};

  void TakeFrom(Task& other) noexcept {
    if (other.ops_ == nullptr) return;
    other.ops_->relocate(other.storage_, storage_);
    ops_ = std::exchange(other.ops_, nullptr);
  }

  alignas(std::max_align_t) std::byte storage_[kInlineBytes];
  const Ops* ops_ = nullptr;
};

static_assert(sizeof(Task) == 64, "one cache line on common machines");

// True for a callable that cannot be called: an empty std::function, a null
// function pointer. A captureless lambda compares with nullptr, too, by way of
// its function pointer, but is never empty.
template <class F>
bool IsEmptyCallable(const F& f) {
  if constexpr (std::is_pointer_v<F>) {
    return f == nullptr;
  } else if constexpr (std::is_class_v<F> && !std::is_convertible_v<F, bool> &&
                       requires { f == nullptr; }) {
    return f == nullptr;
  } else {
    return false;
  }
}

}  // namespace workerpool::inline v1
