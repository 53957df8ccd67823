// Platform is the whole world the protocol code may touch: atomics, locks,
// threads and time. StdPlatform ships; models bring their own and so run the
// same headers under a checker. Nothing in pool/ asks which world it is in.
//
// Every operation on an atomic names its ordering site. A site that needs more
// than relaxed passes through Order with its name; a relaxed one carries the
// name in a trailing comment. README.md in this folder lists them all.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace workerpool::inline v1 {

// Site names the orders stronger than relaxed, and the partner of each.
enum class Site {
  kComplete,  // S4 release: a task's effects, for kIdle
  kIdle,      // S6 acquire: what kComplete released
  kPublish,   // Q4 release: the element, for kTake
  kTake,      // Q6 acquire: what kPublish released
  kRecycle,   // Q8 release: the emptied slot, for kReuse
  kReuse,     // Q2 acquire: what kRecycle released
};

template <class P>
concept Platform = requires(typename P::Mutex& mutex, typename P::Lock& lock,
                            typename P::CondVar& condition,
                            typename P::template Atomic<std::uint64_t>& word,
                            typename P::template Var<int>& plain,
                            std::uint64_t& expected,
                            std::chrono::nanoseconds duration,
                            void (*function)(), typename P::Thread& thread) {
  // Memory orders; Order returns its second argument, as a constant.
  P::Order(Site::kPublish, P::release);
  P::relaxed;
  P::acquire;

  word.load(P::relaxed);
  word.store(0, P::relaxed);
  word.fetch_add(1, P::relaxed);
  word.fetch_sub(1, P::relaxed);
  word.fetch_or(1, P::relaxed);
  word.fetch_and(1, P::relaxed);
  { word.compare_exchange_weak(expected, 1, P::relaxed) } -> std::same_as<bool>;

  // Plain data that a model watches for races.
  { plain.Write() } -> std::same_as<int&>;
  { plain.Read() } -> std::same_as<const int&>;

  requires std::constructible_from<typename P::Lock, typename P::Mutex&>;
  lock.unlock();
  lock.lock();
  condition.wait(lock);
  condition.wait_for(lock, duration);  // steady clock; may return early
  condition.notify_one();
  condition.notify_all();

  // A joinable thread with that name; std::system_error if there is none.
  requires std::constructible_from<typename P::Thread, std::string, void (*)()>;
  thread.join();
  { P::ThisThread() } -> std::same_as<typename P::ThreadId>;

  // Who spins lets others run.
  P::Pause();
  // An exception that leaves the first function goes to the second.
  P::Contain(function, [](std::exception_ptr) {});
  // In debug builds: prints the message and aborts unless the value is true.
  P::Check(true, "message");
  // Prints the message and aborts.
  P::Die("message");
};

}  // namespace workerpool::inline v1
