// The dispatch strategies under test, and one run of one of them.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine.h"
#include "interrupt.h"
#include "results.h"
#include "zipfian.h"

namespace bench {

// A run gave a wrong answer; what() is one line.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// In the order of the report.
const std::vector<std::string>& StrategyNames();

struct RunContext {
  const Plan& plan;
  Engine& engine;
  const ZipfianKeys& keys;
  const Interrupts& interrupts;
  // Called when a strategy has lost a task, so that its threads can never be
  // joined. Must end the process; its argument is one line.
  std::function<void(const std::string&)> give_up;
};

// Measures `strategy` in `block`; throws CheckFailed, EngineError, WrongRow or
// Interrupted. One run at a time.
Run RunStrategy(const std::string& strategy, std::uint32_t block,
                const RunContext& context);

}  // namespace bench
