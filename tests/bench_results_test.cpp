// Results survive a round trip, and bad input is one clear line.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "machine.h"
#include "options.h"
#include "report.h"
#include "results_file.h"

namespace bench {
namespace {

Results TwoBlocks() {
  Results results;
  results.plan.strategies = {"backoff", "condvar"};
  results.plan.runs = 2;
  results.machine.cpu = "A CPU";
  for (const std::uint32_t block : {0u, 1u}) {
    for (const std::string strategy : {"backoff", "condvar"}) {
      Run run;
      run.block = block;
      run.strategy = strategy;
      run.tps = strategy == "condvar" ? 1100 : 1000;
      results.runs.push_back(run);
    }
  }
  return results;
}

class ResultsFileTest : public testing::Test {
 protected:
  ResultsFileTest() {
    std::string name = testing::TempDir() + "/bench-XXXXXX";
    directory_ = mkdtemp(name.data());
  }
  ~ResultsFileTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(ResultsFileTest, WhatIsReadIsWhatWasWritten) {
  const auto file = directory_ / "deep" / "results.json";
  const Results written = TwoBlocks();
  WriteResults(file, written);
  const Results read = ReadResults(file);
  EXPECT_EQ(read.plan, written.plan);
  EXPECT_EQ(read.machine, written.machine);
  EXPECT_EQ(Render(read), Render(written));
}

TEST_F(ResultsFileTest, AFailedWriteLeavesTheOldFile) {
  const auto file = directory_ / "results.json";
  WriteResults(file, TwoBlocks());
  std::filesystem::create_directory(directory_ / "results.json.part");
  EXPECT_THROW(WriteResults(file, Results{}), std::runtime_error);
  EXPECT_EQ(ReadResults(file).runs.size(), 4u);
}

TEST_F(ResultsFileTest, ADeviceIsNotReplaced) {
  EXPECT_THROW(WriteResults("/dev/full", TwoBlocks()), std::runtime_error);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(ResultsFileTest, AFileThatIsNotOfResultsIsRefused) {
  const auto file = directory_ / "results.json";
  for (const std::string text : {"", "{", "[]", "{}", "{\"workload\":1}"}) {
    std::ofstream(file) << text;
    EXPECT_THROW(ReadResults(file), std::runtime_error) << text;
  }
}

TEST(ReportTest, TheRatioIsPairedWithinBlocks) {
  EXPECT_NE(Render(TwoBlocks()).find("1.100 to 1.100"), std::string::npos);
}

TEST(ReportTest, MissingRunsAreSaid) {
  Results results = TwoBlocks();
  results.runs.pop_back();
  EXPECT_NE(Render(results).find("3 of 4 runs"), std::string::npos);
}

TEST(MachineTest, TheNameIsOfCpuAndCoresOnly) {
  Machine machine;
  machine.cpu = "Intel(R) Xeon(R) CPU @ 2.20GHz";
  machine.cores = 8;
  EXPECT_EQ(MachineName(machine), "intel-xeon-cpu-2-20ghz-8-cores");
}

Options Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "tps");
  return ParseOptions(static_cast<int>(arguments.size()), arguments.data(),
                      {"backoff", "condvar"});
}

TEST(OptionsTest, NonsenseIsAUsageErrorOfOneLine) {
  const std::vector<std::vector<const char*>> all = {
      {"--strategies", "magic"},
      {"--strategies", "backoff,backoff"},
      {"--strategies", ""},
      {"--workers", "0"},
      {"--workers", "-1"},
      {"--workers", "4294967297"},
      {"--terminals", "0"},
      {"--seconds", "-1"},
      {"--seconds", "nan"},
      {"--seconds", "inf"},
      {"--warmup", "nan"},
      {"--warmup", "-0.1"},
      {"--rows", "0"},
      {"--rows", "many"},
      {"--rows", "-5"},
      {"--runs", "0"},
      {"--client-us", "1000000000"},
      {"--resume"},
      {"--force"},
      {"--json", "f", "--resume", "--force"},
      {"--unknown"},
      {"word"},
      {"--runs"},
  };
  for (const auto& arguments : all) {
    try {
      Parse(arguments);
      ADD_FAILURE() << arguments[0] << " is accepted";
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(OptionsTest, SmokeReducesOnlyWhatIsNotGiven) {
  const Plan plan = Parse({"--smoke", "--runs", "3"}).plan;
  EXPECT_EQ(plan.runs, 3u);
  EXPECT_EQ(plan.rows, 20'000u);
}

TEST(OptionsTest, StrategiesAreACommaSeparatedList) {
  EXPECT_EQ(Parse({"--strategies", "condvar,backoff"}).plan.strategies,
            (std::vector<std::string>{"condvar", "backoff"}));
}

}  // namespace
}  // namespace bench
