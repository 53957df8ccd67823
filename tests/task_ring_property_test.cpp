// Random pushes and pops on a ring, against a deque.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pool/std_platform.h"
#include "pool/task_ring.h"

namespace workerpool_test {
namespace {

using Ring = workerpool::TaskRing<workerpool::StdPlatform>;

enum class Op { kPush, kPushFailing, kPop };

std::ostream& operator<<(std::ostream& os, Op op) {
  constexpr const char* kNames[] = {"Push", "PushFailing", "Pop"};
  return os << kNames[static_cast<int>(op)];
}

struct ThrowsWhenMoved {
  ThrowsWhenMoved() = default;
  ThrowsWhenMoved(ThrowsWhenMoved&&) noexcept(false) {
    throw std::runtime_error("no");
  }
  void operator()() {}
};

class RingAndModel {
 public:
  explicit RingAndModel(std::size_t capacity) : ring_(capacity) {}

  void Push() {
    ring_.Push([this, number = next_] { last_ = number; });
    model_.push_back(next_++);
    RC_ASSERT(!ring_.LooksEmpty());
  }

  void PushFailing() {
    try {
      ring_.Push(ThrowsWhenMoved());
    } catch (const std::runtime_error&) {
      return;
    }
    RC_FAIL("the error got lost");
  }

  // One thread: no Push is under way, so Pop must not fail spuriously.
  void Pop() {
    workerpool::Task task;
    RC_ASSERT(ring_.Pop(task) == !model_.empty());
    if (model_.empty()) {
      RC_ASSERT(ring_.LooksEmpty());
      return;
    }
    task();
    RC_ASSERT(last_ == model_.front());
    model_.pop_front();
  }

  void PopAll() {
    while (!model_.empty()) Pop();
    Pop();
  }

 private:
  Ring ring_;
  std::deque<int> model_;
  int next_ = 0;
  int last_ = -1;
};

RC_GTEST_PROP(TaskRingProperty, ARingIsADequeOfItsElements, ()) {
  RingAndModel both(*rc::gen::inRange<std::size_t>(1, 10));
  const auto ops =
      *rc::gen::container<std::vector<Op>>(rc::gen::weightedElement<Op>(
          {{10, Op::kPush}, {1, Op::kPushFailing}, {10, Op::kPop}}));
  for (const Op op : ops) {
    if (op == Op::kPush) both.Push();
    if (op == Op::kPushFailing) both.PushFailing();
    if (op == Op::kPop) both.Pop();
  }
  both.PopAll();
}

}  // namespace
}  // namespace workerpool_test
