// The main function of tests that need no seed.
#include <gtest/gtest.h>

#include "hang_alarm.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  workerpool_test::HangAlarm::Install();
  return RUN_ALL_TESTS();
}
