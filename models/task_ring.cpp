// The queue's contract: C1 once and in order, C2 never "empty" wrongly, C3 all
// come out; and what a task carries is handed over without a race.
#include "pool/task_ring.h"
#include "check.h"

namespace models {
namespace {

using Platform = RelacyPlatform<Timer::kNever>;
using Ring = workerpool::TaskRing<Platform>;
using workerpool::Task;

// A task that tells its number when run; it fits the ring without heap.
struct Numbered {
  unsigned number;
  unsigned* ran;
  void operator()() const { *ran = number; }
};

// Pops one task, runs it, and returns its number; 0 if Pop fails.
unsigned PopNumber(Ring& ring, const unsigned& ran) {
  Task task;
  if (!ring.Pop(task)) return 0;
  task();
  return ran;
}

// Two submitters push two tasks each through a ring of two slots, so that laps
// and the overflow are used; a worker takes until it has all four.
struct EachTaskComesOutOnceAndInOrder
    : Model<EachTaskComesOutOnceAndInOrder, 3> {
  static std::string Name() { return "EachTaskComesOutOnceAndInOrder"; }
  static constexpr const char* kProperty = "queue C1, C3, FIFO per submitter";
  static constexpr const char* kBounds =
      "2 submitters, 2 tasks each, 1 worker, ring of 2";
  static constexpr Plan kPlan{
      .quick_bound = 0, .bound = 1, .beyond = 2, .random = 1'000'000};

  Ring ring{2};
  unsigned ran = 0;
  unsigned last[2] = {0, 0};

  void Run(unsigned index) {
    if (index < 2) {
      for (unsigned i = 1; i <= 2; ++i) {
        ring.Push(Numbered{10 * (index + 1) + i, &ran});
      }
      return;
    }
    for (unsigned taken = 0; taken != 4;) {
      const unsigned number = PopNumber(ring, ran);
      if (number == 0) {
        Platform::Pause();
        continue;
      }
      unsigned& before = last[number / 10 - 1];
      RL_ASSERT(number % 10 == before + 1);
      before = number % 10;
      ++taken;
    }
  }
  void after() {
    RL_ASSERT(ring.LooksEmpty());
    RL_ASSERT(PopNumber(ring, ran) == 0);
  }
};

// Two workers compete for three tasks: each gets out once.
struct TwoWorkersShareTheTasks : Model<TwoWorkersShareTheTasks, 3> {
  static std::string Name() { return "TwoWorkersShareTheTasks"; }
  static constexpr const char* kProperty = "queue C1, C3";
  static constexpr const char* kBounds =
      "1 submitter, 3 tasks, 2 workers, ring of 2";
  static constexpr Plan kPlan{
      .quick_bound = 0, .bound = 1, .beyond = 2, .random = 1'000'000};

  static constexpr unsigned kTasks = 3;

  Ring ring{2};
  Platform::Atomic<unsigned> taken{0};
  unsigned times[kTasks] = {};

  struct Counted {
    TwoWorkersShareTheTasks* model;
    unsigned index;
    void operator()() const { ++model->times[index]; }
  };

  void Run(unsigned index) {
    if (index == 0) {
      for (unsigned i = 0; i != kTasks; ++i) ring.Push(Counted{this, i});
      return;
    }
    while (taken.load(Platform::relaxed) != kTasks) {
      Task task;
      if (ring.Pop(task)) {
        task();
        taken.fetch_add(1, Platform::relaxed);
      } else {
        Platform::Pause();
      }
    }
  }
  void after() {
    for (const unsigned count : times) RL_ASSERT(count == 1);
  }
};

// A submitter has claimed a slot and stalls while it builds its task; another
// pushes behind it, and under the mutex tells a worker. The worker may fail to
// pop, but must not be told that the queue is empty.
struct StalledSubmitterDoesNotLookEmpty
    : Model<StalledSubmitterDoesNotLookEmpty, 3> {
  static std::string Name() { return "StalledSubmitterDoesNotLookEmpty"; }
  static constexpr const char* kProperty = "queue C2";
  static constexpr const char* kBounds =
      "2 submitters, 1 task each, 1 worker, ring of 2";
  static constexpr Plan kPlan{.bound = 3, .beyond = 4};

  Ring ring{2};
  Platform::Mutex mutex;
  Platform::Var<bool> pushed{false};
  unsigned ran = 0;

  void Run(unsigned index) {
    if (index < 2) {
      ring.Push(Numbered{index + 1, &ran});
      if (index == 0) return;
      Platform::Lock lock(mutex);
      pushed.Write() = true;
      return;
    }
    bool told = false;
    {
      Platform::Lock lock(mutex);
      told = pushed.Read();
    }
    if (!told) return;
    bool taken = false;
    Task task;
    for (unsigned tries = 0; tries != 2 && !taken; ++tries) {
      const bool empty = ring.LooksEmpty();
      RL_ASSERT(!empty);
      if (ring.Pop(task)) {
        task();
        taken = ran == 2;
      }
    }
  }
};

// The same against the overflow: what was linked before is seen.
struct OverflowDoesNotLookEmpty : Model<OverflowDoesNotLookEmpty, 2> {
  static std::string Name() { return "OverflowDoesNotLookEmpty"; }
  static constexpr const char* kProperty = "queue C2, C3";
  static constexpr const char* kBounds =
      "1 submitter, 3 tasks, 1 worker, ring of 2";
  static constexpr Plan kPlan{.bound = 3, .beyond = 4};

  Ring ring{2};
  Platform::Mutex mutex;
  Platform::Var<unsigned> pushed{0u};
  unsigned ran = 0;

  void Run(unsigned index) {
    if (index == 0) {
      for (unsigned i = 1; i <= 3; ++i) {
        ring.Push(Numbered{i, &ran});
        Platform::Lock lock(mutex);
        pushed.Write() = i;
      }
      return;
    }
    for (unsigned taken = 0; taken != 3;) {
      unsigned known = 0;
      {
        Platform::Lock lock(mutex);
        known = pushed.Read();
      }
      if (known > taken) RL_ASSERT(!ring.LooksEmpty());
      const unsigned number = PopNumber(ring, ran);
      if (number == 0) {
        Platform::Pause();
        continue;
      }
      RL_ASSERT(number == ++taken);
    }
  }
};

// Building a task throws inside its claimed slot: the slot is skipped, what
// comes behind it is not lost.
struct SlotOfAThrowingTaskIsSkipped : Model<SlotOfAThrowingTaskIsSkipped, 2> {
  static std::string Name() { return "SlotOfAThrowingTaskIsSkipped"; }
  static constexpr const char* kProperty = "queue C1, C3, 5 failure";
  static constexpr const char* kBounds =
      "1 submitter, 1 throw and 1 task, 1 worker, ring of 2";
  static constexpr Plan kPlan{.bound = 3, .beyond = 4};

  struct Throws {
    Throws() = default;
    Throws(Throws&&) noexcept(false) { throw 1; }
    void operator()() const {}
  };

  Ring ring{2};
  unsigned ran = 0;

  void Run(unsigned index) {
    if (index == 0) {
      bool threw = false;
      try {
        ring.Push(Throws());
      } catch (int) {
        threw = true;
      }
      RL_ASSERT(threw);
      ring.Push(Numbered{1, &ran});
      return;
    }
    while (PopNumber(ring, ran) == 0) Platform::Pause();
    RL_ASSERT(ran == 1);
  }
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<EachTaskComesOutOnceAndInOrder, TwoWorkersShareTheTasks,
               StalledSubmitterDoesNotLookEmpty, OverflowDoesNotLookEmpty,
               SlotOfAThrowingTaskIsSkipped>(argc, argv);
}
