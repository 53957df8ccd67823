// A TaskQueue in front of a pool: what is enqueued while a session opens must
// enter it, and what is taken out must not be lost.
#include <optional>

#include "pool_model.h"

namespace models {
namespace {

using Platform = CondVar::Platform;
using Queue = workerpool::BasicTaskQueue<Platform>;
using Pool = PoolOf<CondVar>;

// Enqueue races Startup. Whether it is refused and held, or accepted, the task
// runs in the session that has opened when both have returned. "Refused, so
// hold it" and "open, let the held ones in" must be one step each.
struct EnqueuedWhileOpeningRuns : Model<EnqueuedWhileOpeningRuns, 2, 1> {
  static std::string Name() { return "EnqueuedWhileOpeningRuns"; }
  static constexpr const char* kProperty = "held tasks enter at Startup";
  static constexpr const char* kBounds = "1 Enqueue, 1 Startup, 1 worker";

  Queue queue{2};
  Pool pool{"m", 1, queue};
  unsigned runs = 0;
  Latch enqueued;

  void Run(unsigned index) {
    if (index == 0) {
      queue.Enqueue([this] { ++runs; });
      enqueued.Post();
      return;
    }
    pool.Startup();
    enqueued.Wait();
    pool.Shutdown();
    RL_ASSERT(runs == 1);
  }
};

// Dequeue races a worker for the last task, and Shutdown waits for either.
struct TakenOutOrRun : Model<TakenOutOrRun, 2, 1> {
  static std::string Name() { return "TakenOutOrRun"; }
  static constexpr const char* kProperty = "a task taken out lowers pending";
  static constexpr const char* kBounds = "1 task, 1 Dequeue, 1 Shutdown";

  Queue queue{2};
  Pool pool{"m", 1, queue};
  unsigned runs = 0;
  bool taken = false;
  Latch dequeued;

  void Prepare() {
    pool.Startup();
    queue.Enqueue([this] { ++runs; });
  }
  void Run(unsigned index) {
    if (index == 0) {
      std::function<void()> task;
      taken = queue.Dequeue(task);
      dequeued.Post();
      return;
    }
    pool.Shutdown();
    dequeued.Wait();
    RL_ASSERT(runs == (taken ? 0u : 1u));
  }
};

// Dequeue races the destruction of the pool that the queue belongs to: the pool
// is not let go of while a task is being taken out of it.
struct PoolMayDieDuringDequeue : Model<PoolMayDieDuringDequeue, 2, 1> {
  static std::string Name() { return "PoolMayDieDuringDequeue"; }
  static constexpr const char* kProperty = "Detach waits, last touch";
  static constexpr const char* kBounds = "1 task, 1 Dequeue, destruction";
  static constexpr Plan kPlan{.quick_bound = 1, .bound = 2, .beyond = 0};

  Queue queue{2};
  std::optional<Pool> pool;
  unsigned runs = 0;
  bool taken = false;

  void Prepare() {
    pool.emplace("m", 1, queue);
    pool->Startup();
    queue.Enqueue([this] { ++runs; });
  }
  void Run(unsigned index) {
    if (index == 0) {
      std::function<void()> task;
      taken = queue.Dequeue(task);
    } else {
      pool.reset();
    }
  }
  void after() { RL_ASSERT(runs == (taken ? 0u : 1u)); }
};

// A queue is used while a pool comes, and asked while it goes.
struct QueueIsUsedWhileAPoolComesAndGoes
    : Model<QueueIsUsedWhileAPoolComesAndGoes, 2> {
  static std::string Name() { return "QueueIsUsedWhileAPoolComesAndGoes"; }
  static constexpr const char* kProperty = "TaskQueue is thread-safe";
  static constexpr const char* kBounds = "1 task in and out, no session";

  Queue queue{2};
  Latch used;

  void Run(unsigned index) {
    if (index == 0) {
      const Pool pool("m", 1, queue);
      used.Wait();
      return;
    }
    queue.Enqueue([] {});
    RL_ASSERT(!queue.IsEmpty());
    std::function<void()> task;
    RL_ASSERT(queue.Dequeue(task));
    used.Post();
    RL_ASSERT(queue.IsEmpty());
    RL_ASSERT(!queue.Dequeue(task));
  }
};

// A Dequeue that found nothing held looks into the pool, while a task is held
// and a session opens. Whatever it took then it would complete before the
// session has counted it: pending would fall below zero.
struct NobodyTakesWhileASessionOpens : Model<NobodyTakesWhileASessionOpens, 2> {
  static std::string Name() { return "NobodyTakesWhileASessionOpens"; }
  static constexpr const char* kProperty = "what is taken out was accepted";
  static constexpr const char* kBounds = "1 Dequeue, 1 Enqueue, 1 opening";

  struct Sink final : workerpool::TaskSink {
    Platform::Atomic<bool> opening{false};

    bool TryAccept(workerpool::Task&) override { return false; }
    bool TakeOut(workerpool::Task&) override {
      RL_ASSERT(!opening.load(Platform::relaxed));
      return false;
    }
    bool LooksEmpty() const override { return true; }
    void PushHeld(workerpool::Task&& task) override {
      opening.store(true, Platform::relaxed);
      task.Reset();
    }
    void PopHeld(workerpool::Task&) override {}
    void Open(std::size_t) override { opening.store(false, Platform::relaxed); }
  };

  Queue queue{2};
  Sink sink;

  void Prepare() { queue.Attach(sink); }
  void Run(unsigned index) {
    if (index == 0) {
      std::function<void()> task;
      queue.Dequeue(task);
      return;
    }
    queue.Enqueue([] {});
    queue.EnterSession(sink);
  }
};

// The worker is busy; one submitter may be between claiming and publishing its
// slot when another, which has pushed behind it, takes a task out. There is
// one, so Dequeue must wait for the first rather than say no.
struct DequeueWaitsForAStalledSubmitter
    : Model<DequeueWaitsForAStalledSubmitter, 2, 1> {
  static std::string Name() { return "DequeueWaitsForAStalledSubmitter"; }
  static constexpr const char* kProperty = "Dequeue says no of none alone";
  static constexpr const char* kBounds =
      "2 submitters, 1 task each, 1 Dequeue, worker busy";
  static constexpr Plan kPlan{.quick_bound = 1, .bound = 1, .beyond = 2};

  Queue queue{2};
  Pool pool{"m", 1, queue};
  Latch busy, go_on, submitted;
  unsigned runs = 0;

  void Prepare() { pool.Startup(); }
  void Run(unsigned index) {
    if (index == 0) {
      pool.Submit([this] {
        busy.Post();
        go_on.Wait();
      });
      busy.Wait();
      submitted.Post();
      pool.Submit([this] { ++runs; });
      return submitted.Post();
    }
    submitted.Wait();
    pool.Submit([this] { ++runs; });
    std::function<void()> task;
    RL_ASSERT(queue.Dequeue(task));
    task();
    submitted.Wait();
    go_on.Post();
    pool.Shutdown();
    RL_ASSERT(runs == 2);
  }
};

// A held task may run before Startup has returned, and call it.
struct ATaskOfTheOpeningMayCallStartup
    : Model<ATaskOfTheOpeningMayCallStartup, 1, 1> {
  static std::string Name() { return "ATaskOfTheOpeningMayCallStartup"; }
  static constexpr const char* kProperty = "Startup waits for a Startup";
  static constexpr const char* kBounds = "1 held task, 1 Startup";

  Queue queue{2};
  Pool pool{"m", 1, queue};
  unsigned runs = 0;

  void Prepare() {
    queue.Enqueue([this] {
      pool.Startup();
      ++runs;
    });
  }
  void Run(unsigned) {
    pool.Startup();
    pool.WaitIdle();
    RL_ASSERT(runs == 1);
    pool.Shutdown();
  }
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<EnqueuedWhileOpeningRuns, TakenOutOrRun, PoolMayDieDuringDequeue,
               QueueIsUsedWhileAPoolComesAndGoes, NobodyTakesWhileASessionOpens,
               DequeueWaitsForAStalledSubmitter,
               ATaskOfTheOpeningMayCallStartup>(argc, argv);
}
