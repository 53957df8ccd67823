// Checks the runner, not the pool: a model that must fail and cannot, searched
// at random alone, has to turn the run red. Not one of the models.
#include "check.h"

namespace models {
namespace {

struct NeverDeadlocks : Model<NeverDeadlocks, 1> {
  static std::string Name() { return "NeverDeadlocks"; }
  static constexpr const char* kProperty = "none: it must not be believed";
  static constexpr const char* kBounds = "1 thread, nothing to wait for";
  static constexpr rl::test_result_e kExpected = rl::test_result_deadlock;
  static constexpr Plan kPlan{.quick_bound = 0, .bound = 0, .beyond = 0};

  RelacyPlatform<>::Atomic<int> word{0};

  void Run(unsigned) { word.fetch_add(1, RelacyPlatform<>::relaxed); }
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  return models::Check<models::NeverDeadlocks>(argc, argv);
}
