// Checks the tool, not the pool: a search that skips schedules would pass
// every model. The tree search must show every outcome although a controller
// is blocked in join, and every outcome that the random search shows.
#include <cstdio>

#include "check.h"

namespace models {
namespace {

using Platform = RelacyPlatform<Timer::kNever>;

// The outcomes one search has seen, as bits: no allocation made inside an
// execution may outlive it.
unsigned seen = 0;

// A controller starts a waiter and a writer and joins both. Four outcomes: the
// waiter slept or not, and afterwards ran before the writer's last store or
// after it. Uncorrected, the tree search never shows "slept, then before it".
struct BlockedJoiner : Model<BlockedJoiner, 1, 2> {
  static std::string Name() { return "BlockedJoiner"; }

  Platform::Mutex mutex;
  Platform::CondVar wakeup;
  Platform::Var<bool> ready{false};
  Platform::Atomic<int> flag{0};
  int slept = 0;
  int read = 0;

  void Run(unsigned) {
    Platform::Thread waiter("waiter", [this] { Wait(); });
    Platform::Thread writer("writer", [this] { Write(); });
    waiter.join();
    writer.join();
    seen |= 1u << (2 * slept + read);
  }

  void Wait() {
    Platform::Lock lock(mutex);
    while (!ready.Read()) {
      slept = 1;
      wakeup.wait(lock);
    }
    // An RMW, as a load could return the older value without any switch.
    read = flag.fetch_add(0, Platform::relaxed);
  }

  void Write() {
    {
      Platform::Lock lock(mutex);
      ready.Write() = true;
    }
    wakeup.notify_one();
    flag.store(1, Platform::relaxed);
  }
};

unsigned OutcomesOf(const Search& search) {
  seen = 0;
  const Outcome outcome = RunModel<BlockedJoiner>(search, false);
  return outcome.result == rl::test_result_success ? seen : 0;
}

int CheckCalibration() {
  const unsigned all = 0b1111;
  const unsigned tree = OutcomesOf({.bound = 2});
  const unsigned random = OutcomesOf({.random = true, .executions = 20'000});
  std::printf("blocked joiner: tree search %#x, random search %#x of %#x\n",
              tree, random, all);
  const bool passed = tree == all && random == all;
  std::printf("%d passed, %d failed\n", passed ? 1 : 0, passed ? 0 : 1);
  return passed ? 0 : 1;
}

}  // namespace
}  // namespace models

int main() { return models::CheckCalibration(); }
