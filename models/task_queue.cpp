// A TaskQueue in front of a pool: what is enqueued while a session opens must
// enter it, and what is taken out must not be lost.
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

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<EnqueuedWhileOpeningRuns, TakenOutOrRun>(argc, argv);
}
