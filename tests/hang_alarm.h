// HangAlarm ends a test program whose running test has stopped making
// progress. It is the only time limit in these tests and is generous: no
// verdict may depend on how busy the machine is.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

namespace workerpool_test {

class HangAlarm : public ::testing::EmptyTestEventListener {
 public:
  // Replaces the default of 100 seconds; instrumented builds may need it.
  static constexpr const char* kSecondsVariable = "HANG_ALARM_SECONDS";

  static void Install() {
    std::signal(SIGALRM, &Abort);
    // GoogleTest owns the listener.
    ::testing::UnitTest::GetInstance()->listeners().Append(new HangAlarm);
  }

 private:
  void OnTestStart(const ::testing::TestInfo& test) override {
    const std::string line = std::string("HANG in ") + test.test_suite_name() +
                             "." + test.name() + ": no end in sight\n";
    std::strncpy(line_, line.c_str(), sizeof(line_) - 1);
    alarm(Seconds());
  }

  void OnTestEnd(const ::testing::TestInfo&) override { alarm(0); }

  static unsigned Seconds() {
    const char* text = std::getenv(kSecondsVariable);
    return text == nullptr
               ? 100
               : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  }

  // Only what a signal handler may do. The line was composed before.
  static void Abort(int) {
    [[maybe_unused]] const auto written =
        write(STDERR_FILENO, line_, std::strlen(line_));
    std::abort();
  }

  static inline char line_[512] = {};
};

}  // namespace workerpool_test
