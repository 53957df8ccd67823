// What a benchmark run is asked to do and what it found, as it is kept in a
// results file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Plan {
  std::vector<std::string> strategies;
  std::uint32_t runs = 7;  // blocks; each runs every strategy once
  double seconds = 4;      // measured, per run
  double warmup = 0.5;     // seconds before that
  std::uint32_t terminals = 4;
  std::uint32_t workers = 4;
  std::uint32_t rows = 1'000'000;
  std::uint32_t client_us =
      0;  // microseconds a terminal pauses between transactions
  std::uint64_t seed = 1;
  bool operator==(const Plan&) const = default;
};

struct Machine {
  std::string cpu;
  std::uint32_t cores = 0;
  std::string kernel;
  std::string compiler;
  std::string commit;
  std::string engine;
  bool operator==(const Machine&) const = default;
};

struct Run {
  std::uint32_t block = 0;
  std::string strategy;
  double seconds = 0;              // the window as it was
  std::uint64_t transactions = 0;  // that ended in the window
  double tps = 0;
  double cpu_us = 0;                // of the whole process, per transaction
  double voluntary_switches = 0;    // per transaction
  double involuntary_switches = 0;  // per transaction
  double p50_us = 0;
  double p95_us = 0;
  double p99_us = 0;
  double p999_us = 0;
  double max_us = 0;
  double steal =
      0;  // share of all CPU time that the hypervisor gave to others, 0..1
  // With warm-up: the three counts agree, or the run has failed.
  std::uint64_t all_transactions = 0;
  std::uint64_t tasks_executed = 0;
  std::uint64_t rows_verified = 0;
};

struct Results {
  Plan plan;
  Machine machine;
  std::vector<Run> runs;  // in the order they ran
};

}  // namespace bench
