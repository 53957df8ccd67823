// NaiveModel is the base of models that tell a fault of finished thread pools
// again, on a protocol of a few lines: once as it was, which must fail, and
// once with the smallest fix, which must pass. tests/field_faults.md lists
// them beside what checks that the pool is free of the fault.
#pragma once

#include <string>

#include "check.h"

namespace models {

// No timer in any of them: a wake-up that is lost is a deadlock.
using NaivePlatform = RelacyPlatform<Timer::kNever>;

// Derived gives kSentence for Name().
template <class Derived, bool kFixed, unsigned kThreads, unsigned kWorkers = 0,
          rl::test_result_e kFault = rl::test_result_deadlock>
struct NaiveModel : Model<Derived, kThreads, kWorkers> {
  static std::string Name() {
    return std::string(Derived::kSentence) + (kFixed ? "<fixed>" : "<naive>");
  }
  static constexpr rl::test_result_e kExpected =
      kFixed ? rl::test_result_success : kFault;
};

}  // namespace models
