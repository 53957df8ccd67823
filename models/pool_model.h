// What the models of the whole pool share: the shipping pool on Relacy, with a
// small ring, and the names of the strategies.
#pragma once

#include <cstdint>
#include <string>

#include "check.h"
#include "pool/worker_pool.h"

namespace models {

// Each strategy with the timer its promises are checked under: CondVarWait
// must not lean on one; BackoffWait is its timer (README.md, "Masking").
struct CondVar {
  static constexpr const char* kName = "CondVar";
  static constexpr workerpool::WaitOptions kWaits{};
  using Platform = RelacyPlatform<Timer::kNever>;
  using Wait = workerpool::CondVarWait<Platform>;
};
struct Backoff {
  static constexpr const char* kName = "Backoff";
  static constexpr workerpool::WaitOptions kWaits{};
  using Platform = RelacyPlatform<Timer::kParks>;
  using Wait = workerpool::BackoffWait<Platform>;
};
// Back-off whose timer never fires: for wake-ups it must not wait for.
struct BackoffUntimed {
  static constexpr const char* kName = "BackoffUntimed";
  static constexpr workerpool::WaitOptions kWaits{};
  using Platform = RelacyPlatform<Timer::kNever>;
  using Wait = workerpool::BackoffWait<Platform>;
};
// Back-off with sleeps of an hour, which no model lives to see end: a drain
// must not wait for one.
struct BackoffHours {
  static constexpr const char* kName = "BackoffHours";
  static constexpr workerpool::WaitOptions kWaits{
      .shortest_sleep = std::chrono::hours(1),
      .longest_sleep = std::chrono::hours(1)};
  using Platform = RelacyPlatform<Timer::kBrief>;
  using Wait = workerpool::BackoffWait<Platform>;
};

template <class Strategy>
using PoolOf = workerpool::BasicWorkerPool<
    typename Strategy::Platform, typename Strategy::Wait,
    workerpool::TaskRing<typename Strategy::Platform>>;

template <class Strategy>
workerpool::WorkerPoolOptions SmallPool(unsigned workers) {
  workerpool::WorkerPoolOptions options;
  options.name = "m";
  options.workers = workers;
  options.queue_capacity = 2;
  options.wait = Strategy::kWaits;
  return options;
}

// A model's name: sentence, strategy, workers, and submitters unless one.
template <class Strategy>
std::string NameOf(const char* sentence, unsigned workers,
                   unsigned submitters = 1) {
  std::string name = std::string(sentence) + "<" + Strategy::kName + "," +
                     std::to_string(workers);
  if (submitters != 1) name += "," + std::to_string(submitters);
  return name + ">";
}

// Base of a model of the whole pool: kThreads threads that call it, and room
// for the workers of kSessions sessions. How many of the threads submit is told
// for the table only.
template <class Derived, class Strategy, unsigned kThreads, unsigned kWorkers,
          unsigned kSubmitters = 1, unsigned kSessions = 1>
struct PoolModel : Model<Derived, kThreads, kWorkers * kSessions> {
  using Platform = typename Strategy::Platform;

  static constexpr Cell kCell{Strategy::kName, kWorkers, kSubmitters};

  PoolOf<Strategy> pool{SmallPool<Strategy>(kWorkers)};
};

}  // namespace models
