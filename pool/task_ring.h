// TaskRing is the queue: a ring for the common case and an unbounded overflow
// list behind it. Many submitters, many workers, FIFO per submitter.
//
//   Submitter                             Worker
//   Q1 tail: which slot is next           Q5 head: which slot is next
//   Q2 the slot's turn: is it free        Q6 the slot's turn: is it published
//   Q3 CAS tail: claim it                 Q7 CAS head: claim it
//      build the task in it                  move the task out
//   Q4 turn := position + 1: publish      Q8 turn := position + size: recycle
//
// The ring is Vyukov's bounded MPMC queue (1024cores.net, 2010). We differ in
// three things. A full ring overflows into a list under a mutex; while that is
// not empty new tasks join it, which keeps the order. The task is built inside
// a claimed slot, so a callable is moved only when nothing can fail any more;
// if its move throws, the slot is published empty and skipped. And
// LooksEmpty() compares positions, not the head slot's turn: a submitter that
// stalls between Q3 and Q4 hides the elements behind its slot from Pop, but
// must not let workers go to sleep.
//
// Contract
//   C1 each element is returned at most once, and kept until returned.
//   C2 if LooksEmpty() says so, every element whose Push happened before has
//      been claimed. It may say "not empty" of an empty ring, as after a Push
//      that threw, until the next Pop.
//   C3 Pop may fail although an element is there, but under fair scheduling
//      only finitely often: while another Push or Pop is under way.
// Not promised: order between submitters.
// Assumed: fewer than 2^63 tasks in the life of a ring.
// Checked in models/task_ring.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <list>
#include <stdexcept>
#include <utility>
#include <vector>

#include "platform.h"
#include "task.h"

namespace workerpool::inline v1 {

template <Platform P>
class TaskRing {
 public:
  using enum Site;

  // Room for at least `capacity` tasks before the overflow list is used.
  explicit TaskRing(std::size_t capacity)
      : slots_(std::bit_ceil(Checked(capacity))), mask_(slots_.size() - 1) {
    for (std::size_t i = 0; i != slots_.size(); ++i) {
      slots_[i].turn.store(i, P::relaxed);  // Q0
    }
  }

  // Adds Task(std::forward<F>(f)). Strong guarantee; see Task.
  template <class F>
  void Push(F&& f) {
    // Q9: whoever has a task in the overflow sees it not empty (coherence), so
    // its next task cannot overtake it through the ring.
    if (overflowed_.load(P::relaxed) == 0) {  // Q9
      if (Claim claim = ClaimFree(); claim.slot != nullptr) {
        const Publication publication{claim};
        claim.slot->task.Write() = Task(std::forward<F>(f));
        return;
      }
    }
    // The node is there before f is moved into it, and both outside the lock.
    std::list<Task> node;
    node.emplace_back(std::forward<F>(f));
    LinkOverflow(node);
  }

  // Takes one element into `task`, which must be empty. False: see C3.
  bool Pop(Task& task) {
    while (Claim claim = ClaimPublished()) {
      task = std::move(claim.slot->task.Write());
      // Q8 pairs with Q2: the next lap may build in the slot only after this
      // one has moved out of it.
      claim.slot->turn.store(claim.position + slots_.size(),
                             P::Order(kRecycle, P::release));
      if (task) return true;
    }
    return PopOverflow(task);
  }

  // C2. Relaxed reads: the caller's mutex or fence makes Push happen before.
  // A stale head only says "not empty"; a tail at least as new as the Push
  // that matters is behind a head only if that element is claimed.
  bool LooksEmpty() const {
    return RingLooksEmpty() && overflowed_.load(P::relaxed) == 0;  // Q9
  }

 private:
  struct Slot {
    typename P::template Atomic<std::size_t> turn{0};
    typename P::template Var<Task> task;
  };

  struct Claim {
    Slot* slot = nullptr;
    std::size_t position = 0;
    explicit operator bool() const { return slot != nullptr; }
  };

  // Publishes at the end of the scope, also when building the task throws:
  // then the slot is empty and Pop skips it.
  struct Publication {
    const Claim& claim;
    ~Publication() {
      // Q4 pairs with Q6. Lacking it, the worker reads a half-built task.
      claim.slot->turn.store(claim.position + 1,
                             P::Order(kPublish, P::release));
    }
  };

  static std::size_t Checked(std::size_t capacity) {
    if (capacity == 0 || capacity > kMaxCapacity) {
      throw std::invalid_argument(
          "workerpool: the queue's capacity must be from 1 to 2^30");
    }
    return capacity < 2 ? 2 : capacity;  // one slot could not tell its laps
  }

  static constexpr std::size_t kMaxCapacity = std::size_t{1} << 30;

  static std::ptrdiff_t Lag(std::size_t turn, std::size_t position) {
    return static_cast<std::ptrdiff_t>(turn - position);
  }

  // No slot if the ring is full, or its next slot is still being emptied.
  Claim ClaimFree() {
    std::size_t position = tail_.load(P::relaxed);  // Q1
    for (;;) {
      Slot& slot = slots_[position & mask_];
      // Q2 pairs with Q8. Lacking it, the task is built over one that a worker
      // is still moving out.
      const std::ptrdiff_t lag =
          Lag(slot.turn.load(P::Order(kReuse, P::acquire)), position);
      if (lag < 0) return {};
      if (lag > 0) {
        position = tail_.load(P::relaxed);  // Q1
      } else if (tail_.compare_exchange_weak(position, position + 1,
                                             P::relaxed)) {  // Q3
        return {&slot, position};
      }
    }
  }

  // No slot if the ring is empty, or its head is not published yet.
  Claim ClaimPublished() {
    std::size_t position = head_.load(P::relaxed);  // Q5
    for (;;) {
      Slot& slot = slots_[position & mask_];
      // Q6 pairs with Q4.
      const std::ptrdiff_t lag =
          Lag(slot.turn.load(P::Order(kTake, P::acquire)), position + 1);
      if (lag < 0) return {};
      if (lag > 0) {
        position = head_.load(P::relaxed);  // Q5
      } else if (head_.compare_exchange_weak(position, position + 1,
                                             P::relaxed)) {  // Q7
        return {&slot, position};
      }
    }
  }

  bool RingLooksEmpty() const {
    const std::size_t head = head_.load(P::relaxed);  // Q5
    return Lag(tail_.load(P::relaxed), head) <= 0;    // Q1
  }

  // Only links change under the lock: a task's move constructor is user code.
  void LinkOverflow(std::list<Task>& node) {
    typename P::Lock lock(overflow_mutex_);
    std::list<Task>& overflow = overflow_.Write();
    overflow.splice(overflow.end(), node);
    overflowed_.store(overflow.size(), P::relaxed);  // Q10
  }

  bool PopOverflow(Task& task) {
    if (overflowed_.load(P::relaxed) == 0) return false;  // Q9
    std::list<Task> node;
    {
      typename P::Lock lock(overflow_mutex_);
      std::list<Task>& overflow = overflow_.Write();
      // The re-check keeps the order: an earlier element of the same submitter
      // may sit in the ring behind a stalled slot.
      if (overflow.empty() || !RingLooksEmpty()) return false;
      node.splice(node.end(), overflow, overflow.begin());
      overflowed_.store(overflow.size(), P::relaxed);  // Q10
    }
    task = std::move(node.front());
    return true;
  }

  static constexpr std::size_t kLine = 64;  // bytes; keeps the ends apart

  std::vector<Slot> slots_;
  const std::size_t mask_;
  alignas(kLine) typename P::template Atomic<std::size_t> tail_{0};
  alignas(kLine) typename P::template Atomic<std::size_t> head_{0};
  alignas(kLine) typename P::template Atomic<std::size_t> overflowed_{0};
  typename P::Mutex overflow_mutex_;
  typename P::template Var<std::list<Task>> overflow_;
};

}  // namespace workerpool::inline v1
