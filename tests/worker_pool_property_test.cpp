// Random sequences of calls against a model of a few numbers. A failing
// sequence is shrunk to a short one, and repeated with the printed seed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <atomic>
#include <ostream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "drain.h"
#include "errors.h"
#include "pool/worker_pool.h"
#include "recorder.h"
#include "strategies.h"

namespace workerpool_test {
namespace {

// What a pool with a TaskQueue should be like.
struct Model {
  bool running = false;
  std::size_t accepted = 0;
  std::size_t held = 0;
  std::size_t dropped = 0;  // of those accepted
};

constexpr std::size_t kMostTasks = 20000;

template <class Pool>
struct System {
  explicit System(std::uint32_t workers) : pool("pool", workers, queue) {}

  // Submits a task that submits `children` more. Each is accepted, as their
  // parent runs, unless the pool is dropping.
  void SubmitFamily(int children) {
    auto parent = recorder.NewTask([this, children] {
      for (int i = 0; i != children; ++i) {
        if (!TrySubmit()) refused_children += !pool.IsDropping();
      }
    });
    pool.Submit(parent);
    recorder.Accepted(parent.id);
  }

  void Submit() {
    auto task = recorder.NewTask([] {});
    pool.Submit(task);
    recorder.Accepted(task.id);
  }

  bool TrySubmit() {
    auto task = recorder.NewTask([] {});
    if (!pool.TrySubmit(task)) return false;
    recorder.Accepted(task.id);
    return true;
  }

  // Enqueue takes every task; it runs in this session or the next.
  void Enqueue() {
    auto task = recorder.NewTask([] {});
    recorder.Accepted(task.id);
    queue.Enqueue(task);
  }

  // Everything that was accepted and is not held has run once.
  void CheckQuiet(const Model& model) const {
    RC_ASSERT(recorder.Wrong() == 0u);
    RC_ASSERT(refused_children == 0u);
    RC_ASSERT(recorder.Unrun() == model.held + model.dropped);
    RC_ASSERT(recorder.AcceptedCount() == model.accepted + model.held);
    RC_ASSERT(pool.IsRunning() == model.running);
    RC_ASSERT(queue.IsEmpty() == (model.held == 0));
  }

  Recorder recorder{kMostTasks};
  std::atomic<std::size_t> refused_children{0};
  std::atomic<std::size_t> dropped{0};
  workerpool::TaskQueue queue{4};
  Pool pool;
};

template <class Pool>
struct Call : rc::state::Command<Model, System<Pool>> {
  void show(std::ostream& os) const override { os << Name(); }
  virtual std::string Name() const = 0;
};

template <class Pool>
struct Startup : Call<Pool> {
  void apply(Model& model) const override {
    model.running = true;
    model.accepted += std::exchange(model.held, 0);
  }
  void run(const Model&, System<Pool>& system) const override {
    system.pool.Startup();
    RC_ASSERT(system.pool.IsRunning());
  }
  std::string Name() const override { return "Startup"; }
};

template <class Pool>
struct Shutdown : Call<Pool> {
  void apply(Model& model) const override { model.running = false; }
  void run(const Model& model, System<Pool>& system) const override {
    system.pool.Shutdown();
    system.CheckQuiet(this->nextState(model));
  }
  std::string Name() const override { return "Shutdown"; }
};

template <class Pool>
struct Restart : Call<Pool> {
  void apply(Model& model) const override {
    model.running = true;
    model.accepted += std::exchange(model.held, 0);
  }
  void run(const Model& model, System<Pool>& system) const override {
    system.pool.Shutdown();
    system.pool.Startup();
    system.pool.WaitIdle();
    system.CheckQuiet(this->nextState(model));
  }
  std::string Name() const override { return "Restart"; }
};

template <class Pool>
struct WaitIdle : Call<Pool> {
  void run(const Model& model, System<Pool>& system) const override {
    system.pool.WaitIdle();
    system.CheckQuiet(model);
  }
  std::string Name() const override { return "WaitIdle"; }
};

template <class Pool>
struct Submit : Call<Pool> {
  int tasks = *rc::gen::inRange(1, 20);
  int children = *rc::gen::inRange(0, 5);

  void apply(Model& model) const override {
    if (!model.running) return;
    model.accepted += static_cast<std::size_t>(tasks * (1 + children));
  }
  void run(const Model& model, System<Pool>& system) const override {
    RC_PRE(system.recorder.HasRoom(100));
    for (int i = 0; i != tasks; ++i) {
      const std::error_code error =
          SystemErrorOf([&] { system.SubmitFamily(children); });
      RC_ASSERT(error == (model.running ? std::error_code() : kRefused));
    }
  }
  std::string Name() const override {
    return "Submit(" + std::to_string(tasks) + " with " +
           std::to_string(children) + " children)";
  }
};

template <class Pool>
struct TrySubmit : Call<Pool> {
  void apply(Model& model) const override { model.accepted += model.running; }
  void run(const Model& model, System<Pool>& system) const override {
    RC_ASSERT(system.TrySubmit() == model.running);
  }
  std::string Name() const override { return "TrySubmit"; }
};

template <class Pool>
struct Enqueue : Call<Pool> {
  int tasks = *rc::gen::inRange(1, 10);

  void apply(Model& model) const override {
    (model.running ? model.accepted : model.held) +=
        static_cast<std::size_t>(tasks);
  }
  void run(const Model&, System<Pool>& system) const override {
    for (int i = 0; i != tasks; ++i) system.Enqueue();
  }
  std::string Name() const override {
    return "Enqueue(" + std::to_string(tasks) + ")";
  }
};

// A drain with guests: outsiders try to submit, and enqueue, while a task
// submits children.
template <class Pool>
struct DrainWithGuests : Call<Pool> {
  int children = *rc::gen::inRange(0, 5);
  int enqueued = *rc::gen::inRange(0, 3);

  void checkPreconditions(const Model& model) const override {
    RC_PRE(model.running);
  }
  void apply(Model& model) const override {
    model.running = false;
    model.accepted += static_cast<std::size_t>(children);
    model.held += static_cast<std::size_t>(enqueued);
  }
  void run(const Model& model, System<Pool>& system) const override {
    Drain drain(system.pool, [&] {
      for (int i = 0; i != children; ++i) system.Submit();
    });
    const bool refused = !system.TrySubmit();
    for (int i = 0; i != enqueued; ++i) system.Enqueue();
    drain.Finish();
    RC_ASSERT(refused);
    RC_ASSERT(drain.TaskRan());
    system.CheckQuiet(this->nextState(model));
  }
  std::string Name() const override {
    return "DrainWithGuests(" + std::to_string(children) + " children, " +
           std::to_string(enqueued) + " enqueued)";
  }
};

// All workers are held when ShutdownNow comes: just what is queued is dropped,
// and what the held tasks submit then is refused.
template <class Pool>
struct DropBehindHeldWorkers : Call<Pool> {
  int tasks = *rc::gen::inRange(0, 10);

  void checkPreconditions(const Model& model) const override {
    RC_PRE(model.running);
  }
  void apply(Model& model) const override {
    model.running = false;
    model.accepted += static_cast<std::size_t>(tasks);
    model.dropped += static_cast<std::size_t>(tasks);
  }
  void run(const Model& model, System<Pool>& system) const override {
    RC_PRE(system.recorder.HasRoom(100));
    system.pool.WaitIdle();  // what came before, and its children, has run
    Gate gate;
    std::atomic<int> accepted{0};
    for (unsigned i = 0; i != system.pool.NumWorkers(); ++i) {
      system.pool.Submit([&] {
        gate.Pass();
        accepted += system.TrySubmit();
      });
    }
    gate.AwaitArrivals(system.pool.NumWorkers());
    for (int i = 0; i != tasks; ++i) system.Submit();
    std::thread opener([&] {
      WaitUntil([&] { return system.pool.IsDropping(); });
      gate.Open();
    });
    const std::size_t dropped = system.pool.ShutdownNow();
    opener.join();
    system.dropped += dropped;
    RC_ASSERT(dropped == static_cast<std::size_t>(tasks));
    RC_ASSERT(accepted == 0);
    system.CheckQuiet(this->nextState(model));
  }
  std::string Name() const override {
    return "DropBehindHeldWorkers(" + std::to_string(tasks) + " tasks)";
  }
};

template <class Strategy>
class WorkerPoolProperty : public ::testing::Test {};

TYPED_TEST_SUITE(WorkerPoolProperty, Strategies, StrategyNames);

// rapidcheck's own macro cannot be combined with a typed suite.
template <class Property>
void CheckProperty(Property property) {
  rc::detail::checkGTest(property);
}

TYPED_TEST(WorkerPoolProperty, AnySequenceOfCallsBehavesAsTheModel) {
  using Pool = PoolOf<TypeParam>;
  CheckProperty([] {
    System<Pool> system(*rc::gen::inRange(1u, 4u));
    rc::state::check(
        Model(), system,
        rc::state::gen::execOneOfWithArgs<
            Startup<Pool>, Shutdown<Pool>, Restart<Pool>, WaitIdle<Pool>,
            Submit<Pool>, TrySubmit<Pool>, Enqueue<Pool>, DrainWithGuests<Pool>,
            DropBehindHeldWorkers<Pool>>());
    system.pool.Startup();  // lets the held ones in
    system.pool.Shutdown();
    RC_ASSERT(system.recorder.Wrong() == 0u);
    RC_ASSERT(system.recorder.Unrun() == system.dropped);
  });
}

// Concurrent calls. There is no order to model; what remains is the account.
enum class Op {
  kStartup,
  kShutdown,
  kShutdownNow,
  kWaitIdle,
  kTrySubmit,
  kSubmitParent,
  kEnqueue,
};

std::ostream& operator<<(std::ostream& os, Op op) {
  constexpr const char* kNames[] = {"Startup",  "Shutdown",  "ShutdownNow",
                                    "WaitIdle", "TrySubmit", "SubmitParent",
                                    "Enqueue"};
  return os << kNames[static_cast<int>(op)];
}

template <class Pool>
void Perform(System<Pool>& system, Op op) {
  switch (op) {
    case Op::kStartup:
      return system.pool.Startup();
    case Op::kShutdown:
      return system.pool.Shutdown();
    case Op::kShutdownNow:
      system.dropped += system.pool.ShutdownNow();
      return;
    case Op::kWaitIdle:
      return system.pool.WaitIdle();
    case Op::kTrySubmit:
      return (void)system.TrySubmit();
    case Op::kSubmitParent:
      return (void)SystemErrorOf([&] { system.SubmitFamily(2); });
    case Op::kEnqueue:
      return system.Enqueue();
  }
}

TYPED_TEST(WorkerPoolProperty,
           ConcurrentCallsRunWhatWasAcceptedAndNothingElse) {
  using Pool = PoolOf<TypeParam>;
  CheckProperty([] {
    // All commands come first, on this thread: generators are not
    // thread-safe.
    const auto workers = *rc::gen::inRange(1u, 4u);
    const auto threads = *rc::gen::inRange<std::size_t>(2, 4);
    const auto plan = *rc::gen::container<std::vector<std::vector<Op>>>(
        threads,
        rc::gen::container<std::vector<Op>>(rc::gen::element(
            Op::kStartup, Op::kShutdown, Op::kShutdownNow, Op::kWaitIdle,
            Op::kTrySubmit, Op::kSubmitParent, Op::kEnqueue)));
    System<Pool> system(workers);
    {
      std::vector<std::jthread> callers;
      for (const std::vector<Op>& ops : plan) {
        callers.emplace_back([&] {
          for (const Op op : ops) Perform(system, op);
        });
      }
    }
    system.pool.Startup();
    RC_ASSERT(system.TrySubmit());
    system.pool.Shutdown();
    RC_ASSERT(system.recorder.Wrong() == 0u);
    RC_ASSERT(system.recorder.Unrun() == system.dropped);
    RC_ASSERT(system.refused_children == 0u);
    RC_ASSERT(system.queue.IsEmpty());
  });
}

}  // namespace
}  // namespace workerpool_test
