// The main function of randomised tests: prints the seed first, and hands it
// to rapidcheck.
//
//   SEED=<n>            repeats a run
//   PROPERTY_CASES=<n>  cases per property, 100 by default
//   RC_PARAMS=<...>     goes on to rapidcheck; its seed wins over SEED
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hang_alarm.h"
#include "seed.h"

namespace {

using workerpool_test::NumberFromEnvironment;
using workerpool_test::Seed;

// rapidcheck reads the variable when the first property runs.
void HandSeedToRapidcheck() {
  const char* given = std::getenv("RC_PARAMS");
  std::string params = given == nullptr ? "" : given;
  if (params.find("seed=") == std::string::npos) {
    params += " seed=" + std::to_string(Seed());
  }
  if (params.find("max_success=") == std::string::npos) {
    params += " max_success=" +
              std::to_string(NumberFromEnvironment("PROPERTY_CASES", 100));
  }
  setenv("RC_PARAMS", params.c_str(), /*overwrite=*/1);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("SEED=%llu\n", static_cast<unsigned long long>(Seed()));
  std::fflush(stdout);
  HandSeedToRapidcheck();
  ::testing::InitGoogleTest(&argc, argv);
  workerpool_test::HangAlarm::Install();
  return RUN_ALL_TESTS();
}
