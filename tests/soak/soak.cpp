// soak runs pools of every strategy under changing load for as long as it is
// told, and keeps an account of every task.
//
//   exit status  0 passed; 1 an account is wrong; 2 a wrong option;
//                128 + n interrupted by signal n, the sums so far being right
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <random>
#include <string>

#include "soak/context.h"
#include "soak/original_sessions.h"
#include "soak/pool_life.h"
#include "soak/watch.h"
#include "strategies.h"

namespace soak {
namespace {

struct Options {
  double seconds = 60;
  std::uint32_t workers = 64;
  double hang_alarm = 100;
  std::uint64_t seed = std::random_device{}();
};

template <class Strategy>
void RunStrategy(Context& context) {
  context.stage.strategy = Strategy::kName;
  switch (context.random() % 4) {
    case 0:
      return RunQueueSession<Strategy>(context);
    case 1:
      return RunMonoSession<Strategy>(context);
    default:
      return PoolLife<Strategy>(context).Run();
  }
}

// Every strategy in turn, one session at least.
template <class... Strategy>
void RunAll(Context& context, ::testing::Types<Strategy...>) {
  do {
    (RunStrategy<Strategy>(context), ...);
  } while (!context.watch.Over());
}

// Range lets "nan" pass, and a soak of that length never ends.
CLI::Validator IsANumber() {
  return CLI::Validator(
      [](std::string& text) {
        return std::isnan(std::stod(text)) ? text + " is not a number"
                                           : std::string();
      },
      "");
}

std::string Sums(const Totals& totals, double seconds) {
  return Text(totals) + " in " + std::to_string(std::lround(seconds)) + " s";
}

const Context* running = nullptr;

// An exception that leaves a thread, or a destructor, is a fault as well.
[[noreturn]] void FailByException() {
  try {
    if (const auto error = std::current_exception()) {
      std::rethrow_exception(error);
    }
  } catch (const std::exception& error) {
    running->Fail(std::string("an exception nobody expected: ") + error.what());
  } catch (...) {
  }
  running->Fail("std::terminate");
}

int Run(const Options& options) {
  Totals totals;
  Stage stage;
  const Watch watch(totals, stage, Watch::Seconds(options.seconds),
                    Watch::Seconds(options.hang_alarm));
  Context context{totals,          stage,        watch,
                  options.workers, options.seed, std::mt19937_64(options.seed)};
  running = &context;
  std::set_terminate(&FailByException);
  outsider = true;
  RunAll(context, workerpool_test::Strategies());
  context.Require(totals.accepted == totals.run + totals.dropped,
                  "the sums differ");
  const std::string sums = Sums(totals, watch.Elapsed().count());
  if (watch.Signal() != 0) {
    std::printf("soak: interrupted: %s\n", sums.c_str());
    return 128 + watch.Signal();
  }
  std::printf("soak: passed: %s\n", sums.c_str());
  return 0;
}

Options Parse(CLI::App& app, int argc, const char* const* argv) {
  Options options;
  app.add_option("--seconds", options.seconds, "how long, 60 by default")
      ->check(CLI::Range(0.1, 604800.0))
      ->check(IsANumber());
  app.add_option("--workers", options.workers,
                 "of the largest pool, 64 by default")
      ->check(CLI::Range(1, 256));
  app.add_option("--seed", options.seed, "the same mix of calls again")
      ->envname("SEED");
  app.add_option("--hang-alarm", options.hang_alarm,
                 "seconds without progress that end it, 100 by default")
      ->envname("HANG_ALARM_SECONDS")
      ->check(CLI::Range(1.0, 86400.0))
      ->check(IsANumber());
  app.parse(argc, argv);
  return options;
}

}  // namespace
}  // namespace soak

int main(int argc, char** argv) {
  CLI::App app("Runs pools under changing load and keeps account of all tasks");
  soak::Options options;
  try {
    options = soak::Parse(app, argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", app.help().c_str());
    return 0;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
  std::printf("SEED=%llu\n", static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  return soak::Run(options);
}
