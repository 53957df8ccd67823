// What every session needs: where sums and names of steps go, chance, and a way
// to fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "soak/ledger.h"
#include "soak/watch.h"

namespace soak {

constexpr std::size_t kMostTasks = 20'000;  // of a session

struct Context {
  Totals& totals;
  Stage& stage;
  const Watch& watch;
  const std::uint32_t most_workers;
  const std::uint64_t seed;
  std::mt19937_64 random;

  std::uint32_t Workers() {
    return random() % 2 == 0
               ? most_workers
               : 1 + static_cast<std::uint32_t>(random() % most_workers);
  }
  std::size_t QueueCapacity() { return std::size_t{1} << random() % 11; }

  // Ends the process where it is: to destroy a pool that is wrong may hang.
  [[noreturn]] void Fail(const std::string& what) const {
    std::printf("soak: FAILED: %s; SEED=%llu, %s\n", what.c_str(),
                static_cast<unsigned long long>(seed), Text(totals).c_str());
    std::fflush(stdout);
    std::_Exit(1);
  }
  void Require(bool right, const std::string& otherwise) const {
    if (!right) Fail(stage.Text() + ": " + otherwise);
  }
  void RequireRight(const Ledger& ledger) const {
    const std::string faults = ledger.Faults();
    Require(faults.empty(), faults);
  }
};

}  // namespace soak
