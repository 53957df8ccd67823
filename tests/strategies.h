// Strategies lists the ways to wait that every behaviour test runs with. A new
// strategy is one struct here and one entry in the list.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "pool/worker_pool.h"

namespace workerpool_test {

struct Backoff {
  template <class P>
  using Wait = workerpool::BackoffWait<P>;
  static constexpr const char* kName = "Backoff";
};

struct CondVar {
  template <class P>
  using Wait = workerpool::CondVarWait<P>;
  static constexpr const char* kName = "CondVar";
};

using Strategies = ::testing::Types<Backoff, CondVar>;

struct StrategyNames {
  template <class Strategy>
  static std::string GetName(int) {
    return Strategy::kName;
  }
};

template <class Strategy, class P = workerpool::StdPlatform>
using PoolOf =
    workerpool::BasicWorkerPool<P, typename Strategy::template Wait<P>>;

// Fixture of the typed suites; what varies is the parameter alone.
template <class Strategy>
class WorkerPoolTest : public ::testing::Test {};

TYPED_TEST_SUITE(WorkerPoolTest, Strategies, StrategyNames);

}  // namespace workerpool_test
