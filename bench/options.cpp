#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

// A reduced plan: everything is exercised and checked, nothing is measured.
void UseSmokePlan(const CLI::App& app, Plan& plan) {
  const auto reduce = [&](const char* option, auto& value, auto small) {
    if (app.count(option) == 0) value = small;
  };
  reduce("--rows", plan.rows, 20'000);
  reduce("--runs", plan.runs, 1);
  reduce("--seconds", plan.seconds, 0.2);
  reduce("--warmup", plan.warmup, 0.05);
}

void Require(bool condition, const std::string& otherwise) {
  if (!condition) throw UsageError(otherwise);
}

// Names every strategy once, and only existing ones.
void CheckStrategies(const Plan& plan, const std::vector<std::string>& known) {
  Require(!plan.strategies.empty(), "--strategies names none");
  for (const std::string& strategy : plan.strategies) {
    Require(
        std::find(known.begin(), known.end(), strategy) != known.end(),
        fmt::format("--strategies: there is no strategy '{}' (there are: {})",
                    strategy, fmt::join(known, ", ")));
    Require(std::count(plan.strategies.begin(), plan.strategies.end(),
                       strategy) == 1,
            fmt::format("--strategies names '{}' twice", strategy));
  }
}

// The upper bounds are far beyond sense; they turn a slip of the keyboard into
// a message.
void CheckPlan(const Plan& plan) {
  constexpr double kDay = 86'400;
  constexpr std::uint32_t kMostThreads = 256;
  const auto within = [](auto value, auto low, auto high) {
    return value >= low && value <= high;
  };
  Require(within(plan.runs, 1u, 10'000u), "--runs must be between 1 and 10000");
  // A comparison with NaN is false, so these refuse it as well.
  Require(within(plan.seconds, 0.01, kDay),
          "--seconds must be between 0.01 and 86400");
  Require(within(plan.warmup, 0.0, kDay),
          "--warmup must be between 0 and 86400 seconds");
  Require(within(plan.terminals, 1u, kMostThreads),
          "--terminals must be between 1 and 256");
  Require(within(plan.workers, 1u, kMostThreads),
          "--workers must be between 1 and 256");
  Require(plan.rows >= 1, "--rows must be at least 1");
  Require(plan.client_us <= 1'000'000, "--client-us must be at most 1000000");
}

}  // namespace

Options ParseOptions(int argc, const char* const* argv,
                     const std::vector<std::string>& known) {
  Options options;
  Plan& plan = options.plan;
  plan.strategies = known;
  bool smoke = false;
  CLI::App app(
      "Measures transactions per second of YCSB read-only over wait strategies "
      "of a pool.");
  app.option_defaults()->always_capture_default();
  app.add_option("--strategies", plan.strategies, "comma-separated list")
      ->delimiter(',');
  app.add_option("--runs", plan.runs,
                 "interleaved blocks; each runs every strategy once");
  app.add_option("--seconds", plan.seconds, "measured seconds per run");
  app.add_option("--warmup", plan.warmup, "seconds before each measurement");
  app.add_option("--terminals", plan.terminals,
                 "clients, each with one transaction at a time");
  app.add_option("--workers", plan.workers, "threads of the pool");
  app.add_option("--rows", plan.rows, "rows of the table, 1000 bytes each");
  app.add_option("--client-us", plan.client_us,
                 "microseconds between a client's transactions");
  app.add_option("--seed", plan.seed,
                 "seed of keys, order of runs, and statistics");
  auto* json =
      app.add_option("--json", options.json, "keep the results in this file");
  auto* resume = app.add_flag("--resume", options.resume,
                              "go on after the runs in the file");
  auto* force =
      app.add_flag("--force", options.force, "replace the file if it exists");
  app.add_flag("--smoke", smoke,
               "small table and short runs: checks, measures nothing");
  app.add_option("--render", options.render,
                 "print the tables of this results file and end");
  app.add_flag("--machine", options.machine,
               "print the name of this machine and end");
  resume->needs(json)->excludes(force);
  force->needs(json);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    options.help = true;
    options.help_text = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (smoke) UseSmokePlan(app, plan);
  CheckStrategies(plan, known);
  CheckPlan(plan);
  return options;
}

}  // namespace bench
