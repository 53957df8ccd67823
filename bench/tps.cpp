// tps measures how many YCSB read-only transactions per second a worker pool
// dispatches, for each wait strategy, and compares them with the published
// table. See README.md.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "commit.h"
#include "interrupt.h"
#include "machine.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "results_file.h"
#include "strategies.h"
#include "temp_dir.h"
#include "wiredtiger_engine.h"
#include "ycsb_loader.h"

namespace bench {
namespace {

void Print(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout) throw std::runtime_error("cannot write to standard output");
}

Machine DescribeMachine() {
  Machine machine = ThisMachine();
  machine.commit = BENCH_COMMIT;
  machine.engine = WiredTigerVersion();
  return machine;
}

// The results so far: those in the file when resuming, otherwise none.
Results OpenResults(const Options& options) {
  Results fresh{options.plan, DescribeMachine(), {}};
  if (options.json.empty() || options.force ||
      !std::filesystem::exists(options.json))
    return fresh;
  if (!options.resume) {
    throw UsageError(options.json.string() +
                     " exists: give --resume to go on, --force to replace");
  }
  Results kept = ReadResults(options.json);
  if (kept.plan != fresh.plan)
    throw UsageError(options.json.string() + " has another plan");
  if (kept.machine != fresh.machine) {
    throw UsageError(options.json.string() +
                     " was measured by another machine, compiler or commit");
  }
  return kept;
}

// The order of strategies is drawn anew for each block, and always the same for
// a seed, so that a resumed plan goes on where it was.
std::vector<std::string> BlockOrder(const Plan& plan, std::uint32_t block) {
  std::seed_seq seed{static_cast<std::uint32_t>(plan.seed),
                     static_cast<std::uint32_t>(plan.seed >> 32), block};
  std::mt19937_64 random(seed);
  std::vector<std::string> order = plan.strategies;
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

struct Step {
  std::uint32_t block;
  std::string strategy;
};

// What the plan asks for and the results do not have yet.
std::vector<Step> MissingSteps(const Results& results) {
  std::vector<Step> steps;
  for (std::uint32_t block = 0; block < results.plan.runs; ++block) {
    for (const std::string& strategy : BlockOrder(results.plan, block)) {
      const bool done = std::any_of(
          results.runs.begin(), results.runs.end(), [&](const Run& run) {
            return run.block == block && run.strategy == strategy;
          });
      if (!done) steps.push_back({block, strategy});
    }
  }
  return steps;
}

void CheckMemory(std::uint32_t rows) {
  constexpr std::uint64_t kMiB = 1 << 20;
  const std::uint64_t needed = YcsbMemoryBytes(rows);
  const std::uint64_t available = AvailableMemory();
  if (needed <= available) return;
  throw UsageError(fmt::format(
      "{} rows need {} MiB of memory, {} MiB are available: give --rows", rows,
      needed / kMiB, available / kMiB));
}

void Load(Engine& engine, std::uint32_t rows, const Machine& machine,
          const Interrupts& interrupts, Progress& progress) {
  YcsbLoader loader(engine, rows, machine.cores);
  while (!loader.Finished()) {
    interrupts.WaitUntil(Interrupts::Clock::now() +
                         std::chrono::milliseconds(50));
    progress.Loading(loader.RowsLoaded(), rows);
  }
}

// Runs what is missing in `results`, and calls `keep` after each run.
template <class Keep>
void RunPlan(Results& results, const Interrupts& interrupts, const Keep& keep) {
  const Plan& plan = results.plan;
  const std::vector<Step> steps = MissingSteps(results);
  if (steps.empty()) return;
  CheckMemory(plan.rows);
  const TempDir home;
  const auto engine = OpenWiredTiger({home.Path(), YcsbCacheBytes(plan.rows),
                                      plan.terminals + results.machine.cores});
  Progress progress;
  Load(*engine, plan.rows, results.machine, interrupts, progress);
  const ZipfianKeys keys(plan.rows);
  const auto give_up = [&](const std::string& why) {
    std::fprintf(stderr, "tps: %s\n", why.c_str());
    std::cout << Render(results) << std::flush;
    home.Remove();
    std::_Exit(EXIT_FAILURE);
  };
  const RunContext context{plan, *engine, keys, interrupts, give_up};
  progress.Running(plan, steps.size());
  for (const Step& step : steps) {
    results.runs.push_back(RunStrategy(step.strategy, step.block, context));
    keep();
    progress.Finished(results.runs.back());
  }
}

// Runs the plan and prints the report. What was measured is not lost when
// something fails: it is in the results file, or printed if there is none or it
// cannot be written.
void RunAndReport(const Options& options, const Interrupts& interrupts) {
  Results results = OpenResults(options);
  std::size_t kept = results.runs.size();
  const auto keep = [&] {
    if (options.json.empty()) return;
    WriteResults(options.json, results);
    kept = results.runs.size();
  };
  // A file that cannot be written should fail before the table is loaded.
  keep();
  try {
    RunPlan(results, interrupts, keep);
  } catch (...) {
    if (kept < results.runs.size()) Print(Render(results));
    throw;
  }
  Print(Render(results));
}

void Main(const Options& options, const Interrupts& interrupts) {
  if (options.help) {
    Print(options.help_text);
  } else if (options.machine) {
    Print(MachineName(ThisMachine()) + '\n');
  } else if (!options.render.empty()) {
    Print(Render(ReadResults(options.render)));
  } else {
    RunAndReport(options, interrupts);
  }
}

int Fail(int status, const std::string& why) {
  std::string line = why;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::fprintf(stderr, "tps: %s\n", line.c_str());
  return status;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  const bench::Interrupts interrupts;
  try {
    bench::Main(bench::ParseOptions(argc, argv, bench::StrategyNames()),
                interrupts);
    return EXIT_SUCCESS;
  } catch (const bench::Interrupted& interrupted) {
    const char* name = sigabbrev_np(interrupted.signal);
    return bench::Fail(128 + interrupted.signal,
                       fmt::format("stopped by SIG{}", name));
  } catch (const bench::UsageError& error) {
    return bench::Fail(2, error.what());
  } catch (const std::exception& error) {
    return bench::Fail(EXIT_FAILURE, error.what());
  }
}
