// The pool is destroyed as soon as the calls that promise its end have
// returned: no worker, and no call that has returned, touches it afterwards.
// Relacy knows freed atomics and mutexes by what their destructors wrote, which
// an optimising compiler may drop; so this program is built at -O0 as well.
#include <optional>

#include "pool_model.h"

namespace models {
namespace {

enum class End { kDestructor, kWaitIdleThenDestructor, kShutdownNow };

// One thread submits and ends the pool.
template <class Strategy, End kEnd>
struct PoolMayDieAfterItsEnd
    : Model<PoolMayDieAfterItsEnd<Strategy, kEnd>, 1, 1> {
  static std::string Name() {
    constexpr const char* kSentence[] = {"PoolDiesWhileItWorks",
                                         "PoolMayDieAfterWaitIdle",
                                         "PoolMayDieAfterShutdownNow"};
    return NameOf<Strategy>(kSentence[static_cast<int>(kEnd)], 1);
  }
  static constexpr const char* kProperty = "3 last touch";
  static constexpr const char* kBounds = "1 task, then destruction";

  std::optional<PoolOf<Strategy>> pool;
  unsigned runs = 0;
  std::size_t dropped = 0;

  void Prepare() {
    pool.emplace(SmallPool<Strategy>(1));
    pool->Startup();
  }
  void Run(unsigned) {
    pool->Submit([this] { ++runs; });
    if (kEnd == End::kWaitIdleThenDestructor) pool->WaitIdle();
    if (kEnd == End::kShutdownNow) dropped = pool->ShutdownNow();
    pool.reset();
    RL_ASSERT(runs + dropped == 1);
    RL_ASSERT(World::Get().threads_alive == 0);
  }
};

// Two threads shut down; when both have returned, the pool dies at once.
template <class Strategy>
struct PoolMayDieAfterTwoShutdowns
    : Model<PoolMayDieAfterTwoShutdowns<Strategy>, 2, 1> {
  static std::string Name() {
    return NameOf<Strategy>("PoolMayDieAfterTwoShutdowns", 1);
  }
  static constexpr const char* kProperty = "3 last touch";
  static constexpr const char* kBounds = "1 task, 2 Shutdowns, destruction";
  static constexpr Plan kPlan{.quick_bound = 1, .bound = 1, .beyond = 2};

  std::optional<PoolOf<Strategy>> pool;
  unsigned runs = 0;
  unsigned returned = 0;

  void Prepare() {
    pool.emplace(SmallPool<Strategy>(1));
    pool->Startup();
    pool->Submit([this] { ++runs; });
  }
  void Run(unsigned) {
    pool->Shutdown();
    if (++returned == 2) pool.reset();
    RL_ASSERT(runs == 1);
  }
};

// A second waiter for idle destroys nothing, but must have left before: it
// says so by a latch, as a user would by joining its thread.
template <class Strategy>
struct PoolMayDieAfterTwoWaiters
    : Model<PoolMayDieAfterTwoWaiters<Strategy>, 2, 1> {
  static std::string Name() {
    return NameOf<Strategy>("PoolMayDieAfterTwoWaiters", 1);
  }
  static constexpr const char* kProperty = "3 last touch, 8 WaitIdle";
  static constexpr const char* kBounds = "1 task, 2 WaitIdles, destruction";
  static constexpr Plan kPlan{.quick_bound = 1, .bound = 1, .beyond = 2};

  std::optional<PoolOf<Strategy>> pool;
  unsigned runs = 0;
  Latch left;

  void Prepare() {
    pool.emplace(SmallPool<Strategy>(1));
    pool->Startup();
    pool->Submit([this] { ++runs; });
  }
  void Run(unsigned index) {
    pool->WaitIdle();
    if (index == 1) return left.Post();
    left.Wait();
    pool.reset();
    RL_ASSERT(runs == 1);
  }
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<
      PoolMayDieAfterItsEnd<CondVar, End::kDestructor>,
      PoolMayDieAfterItsEnd<CondVar, End::kWaitIdleThenDestructor>,
      PoolMayDieAfterItsEnd<CondVar, End::kShutdownNow>,
      PoolMayDieAfterTwoShutdowns<CondVar>, PoolMayDieAfterTwoWaiters<CondVar>,
      PoolMayDieAfterItsEnd<Backoff, End::kDestructor>,
      PoolMayDieAfterItsEnd<Backoff, End::kWaitIdleThenDestructor>,
      PoolMayDieAfterItsEnd<Backoff, End::kShutdownNow>,
      PoolMayDieAfterTwoShutdowns<Backoff>, PoolMayDieAfterTwoWaiters<Backoff>>(
      argc, argv);
}
