// Not a test by itself: a program whose pool has static storage duration and
// tasks queued when main returns. `static_pool_program` prints how many of 100
// tasks have run by the end; CMakeLists.txt knows what it must print.
//
//   backoff, condvar   this library's pools
//   detached           a pool that detaches its threads, as some do to avoid a
//                      hang at exit: its queued tasks never run
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "gate.h"
#include "pool/worker_pool.h"

namespace {

using workerpool_test::Gate;

constexpr int kTasks = 100;

// Its destructor is the last to run: it was made first.
struct Account {
  std::atomic<int> runs{0};
  ~Account() { std::printf("%d of %d tasks ran\n", runs.load(), kTasks); }
} account;

Gate& gate = *new Gate;

class DetachingPool {
 public:
  void Startup() {
    std::thread([state = state_] {
      for (;;) {
        std::unique_lock lock(state->mutex);
        state->wakeup.wait(lock, [&] { return !state->queue.empty(); });
        const auto task = std::move(state->queue.front());
        state->queue.pop_front();
        lock.unlock();
        task();
      }
    }).detach();
  }
  void Submit(std::function<void()> task) {
    {
      const std::lock_guard lock(state_->mutex);
      state_->queue.push_back(std::move(task));
    }
    state_->wakeup.notify_one();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable wakeup;
    std::deque<std::function<void()>> queue;
  };
  State* const state_ = new State;  // left to the process
};

// The tasks are still queued when main returns, and the pool's destructor
// begins; the gate opens only then.
struct OpensGate {
  bool opens = true;
  ~OpensGate() {
    if (opens) gate.Open();
  }
};

template <class Pool>
int Run(Pool& pool) {
  pool.Startup();
  pool.Submit([] { gate.Pass(); });
  gate.AwaitArrivals(1);
  for (int i = 0; i != kTasks; ++i) pool.Submit([] { ++account.runs; });
  return 0;
}

template <class Pool>
int RunStatic() {
  static Pool pool("pool", 1);
  static OpensGate opens;  // destroyed before the pool
  return Run(pool);
}

int RunDetached() {
  static DetachingPool pool;
  static OpensGate never{.opens = false};
  return Run(pool);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc == 2 ? argv[1] : "";
  if (which == "backoff") return RunStatic<workerpool::BackoffWorkerPool>();
  if (which == "condvar") return RunStatic<workerpool::CondVarWorkerPool>();
  if (which == "detached") return RunDetached();
  std::fprintf(stderr, "error: give one of: backoff condvar detached\n");
  return 2;
}
