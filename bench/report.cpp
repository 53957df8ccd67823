#include "report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "statistics.h"
#include "table.h"

namespace bench {
namespace {

// From Peloton pull request #1419, YCSB read-only, as measured there.
constexpr double kPublishedBackoff = 16580, kPublishedBackoffSigma = 167;
constexpr double kPublishedCondVar = 18186, kPublishedCondVarSigma = 56;

// More than this share of stolen time makes a block suspect. It is marked,
// never dropped.
constexpr double kMuchSteal = 0.01;

using Field = double Run::*;

std::vector<double> Values(const Results& results, const std::string& strategy,
                           Field field) {
  std::vector<double> values;
  for (const Run& run : results.runs) {
    if (run.strategy == strategy) values.push_back(run.*field);
  }
  return values;
}

std::string Tps(double mean, double sigma) {
  return fmt::format("{:.0f} ± {:.0f}", mean, sigma);
}

std::string Tps(const std::vector<double>& values) {
  return values.empty() ? "-" : Tps(Mean(values), SampleSigma(values));
}

// Numerator and denominator of every block that ran both.
std::optional<Ratio> CompareTps(const Results& results,
                                const std::string& numerator,
                                const std::string& denominator) {
  std::map<std::uint32_t, std::pair<double, double>> blocks;
  for (const Run& run : results.runs) {
    if (run.strategy == numerator) blocks[run.block].first = run.tps;
    if (run.strategy == denominator) blocks[run.block].second = run.tps;
  }
  std::vector<double> above, below;
  for (const auto& [block, pair] : blocks) {
    if (pair.first <= 0 || pair.second <= 0) continue;
    above.push_back(pair.first);
    below.push_back(pair.second);
  }
  if (above.empty()) return std::nullopt;
  return PairedRatio(above, below, results.plan.seed);
}

std::string RunsTable(const Results& results) {
  Table table({"strategy", "runs", "TPS", "p50 µs", "p95 µs", "p99 µs",
               "p99.9 µs", "max µs", "CPU µs/tx", "vol. sw./tx",
               "invol. sw./tx"});
  for (const std::string& strategy : results.plan.strategies) {
    const auto tps = Values(results, strategy, &Run::tps);
    if (tps.empty()) continue;
    const auto median = [&](Field field) {
      return Median(Values(results, strategy, field));
    };
    const auto longest = Values(results, strategy, &Run::max_us);
    table.Add({strategy, fmt::to_string(tps.size()), Tps(tps),
               fmt::format("{:.1f}", median(&Run::p50_us)),
               fmt::format("{:.1f}", median(&Run::p95_us)),
               fmt::format("{:.1f}", median(&Run::p99_us)),
               fmt::format("{:.1f}", median(&Run::p999_us)),
               fmt::format("{:.0f}",
                           *std::max_element(longest.begin(), longest.end())),
               fmt::format("{:.2f}", median(&Run::cpu_us)),
               fmt::format("{:.2f}", median(&Run::voluntary_switches)),
               fmt::format("{:.2f}", median(&Run::involuntary_switches))});
  }
  return table.Text();
}

std::string RatioTable(const Results& results) {
  Table table(
      {"ratio of TPS", "geometric mean", "95 % interval", "p", "blocks"});
  const auto add = [&](const std::string& numerator,
                       const std::string& denominator) {
    const auto ratio = CompareTps(results, numerator, denominator);
    if (!ratio) return;
    const bool several = ratio->pairs > 1;
    table.Add({numerator + " / " + denominator,
               fmt::format("{:.3f}", ratio->mean),
               several ? fmt::format("{:.3f} to {:.3f}", ratio->range.low,
                                     ratio->range.high)
                       : "-",
               several ? fmt::format("{:.2g}", ratio->p) : "-",
               fmt::to_string(ratio->pairs)});
  };
  add("condvar", "backoff");
  add("original-condvar", "original-backoff");
  for (const std::string& strategy : results.plan.strategies) {
    if (strategy != "none") add(strategy, "none");
  }
  return table.Text();
}

std::string PublishedTable(const Results& results) {
  Table table(
      {"YCSB read-only, TPS", "back-off", "condition variable", "ratio"});
  table.Add({"published: Peloton pull request #1419, as measured there",
             Tps(kPublishedBackoff, kPublishedBackoffSigma),
             Tps(kPublishedCondVar, kPublishedCondVarSigma),
             fmt::format("{:.3f}", kPublishedCondVar / kPublishedBackoff)});
  const auto add = [&](const std::string& name, const std::string& prefix) {
    const auto ratio =
        CompareTps(results, prefix + "condvar", prefix + "backoff");
    table.Add({name, Tps(Values(results, prefix + "backoff", &Run::tps)),
               Tps(Values(results, prefix + "condvar", &Run::tps)),
               ratio ? fmt::format("{:.3f}", ratio->mean) : "-"});
  };
  add("here: the original's two pools", "original-");
  add("here: this library", "");
  return table.Text();
}

std::string PlanLines(const Results& results) {
  const Plan& plan = results.plan;
  const Machine& machine = results.machine;
  return fmt::format(
      "* Plan: {} x {} runs of {} s after {} s of warm-up, order random within "
      "each block; seed {}.\n"
      "* Load: {} terminals, {} µs outside the pool between transactions; {} "
      "workers; {} rows.\n"
      "* Machine: {}, {} cores, {}; {}; {}; commit {}.\n",
      plan.runs, plan.strategies.size(), plan.seconds, plan.warmup, plan.seed,
      plan.terminals, plan.client_us, plan.workers, plan.rows, machine.cpu,
      machine.cores, machine.kernel, machine.compiler, machine.engine,
      machine.commit);
}

std::string CheckLines(const Results& results) {
  std::uint64_t transactions = 0, tasks = 0, rows = 0;
  std::map<std::uint32_t, double> most_steal;
  for (const Run& run : results.runs) {
    transactions += run.all_transactions;
    tasks += run.tasks_executed;
    rows += run.rows_verified;
    most_steal[run.block] = std::max(most_steal[run.block], run.steal);
  }
  std::vector<std::uint32_t> suspects;
  for (const auto& [block, steal] : most_steal) {
    if (steal > kMuchSteal) suspects.push_back(block);
  }
  std::string text = fmt::format(
      "* Checked, warm-up included: {} transactions counted by terminals, {} "
      "tasks executed, {} rows verified.\n",
      transactions, tasks, rows);
  text +=
      suspects.empty()
          ? fmt::format(
                "* Steal: at most {:.0f} % of CPU time in every block.\n",
                kMuchSteal * 100)
          : fmt::format(
                "* Steal: above {:.0f} % of CPU time in blocks {} of {}; "
                "kept.\n",
                kMuchSteal * 100, fmt::join(suspects, ", "), most_steal.size());
  const std::size_t planned =
      results.plan.runs * results.plan.strategies.size();
  if (results.runs.size() < planned) {
    text += fmt::format("* Incomplete: {} of {} runs.\n", results.runs.size(),
                        planned);
  }
  return text;
}

}  // namespace

std::string Render(const Results& results) {
  std::string text = PublishedTable(results) + '\n' + RunsTable(results) + '\n';
  const std::string ratios = RatioTable(results);
  if (!ratios.empty()) text += ratios + '\n';
  text += PlanLines(results) + CheckLines(results);
  text +=
      "* TPS: mean ± sample sigma over runs. Latency, CPU time and context "
      "switches: median over\n"
      "  runs; max over all runs. CPU time and switches are the whole "
      "process's, per transaction.\n"
      "* Ratios are paired within blocks. Interval: bootstrap of the geometric "
      "mean; p: two-sided\n"
      "  sign-flip test.\n"
      "* Latency is that of a closed loop: while a transaction is slow its "
      "terminal sends no other,\n"
      "  so it omits the waiting of requests that arrive at a fixed rate "
      "(coordinated omission).\n"
      "* Not an official, audited result.\n";
  return text;
}

}  // namespace bench
