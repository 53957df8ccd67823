// Seed is the one number a randomised test program depends on. It is printed
// first and can be given back: SEED=<n> <program>.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace workerpool_test {

// An environment variable that holds a number, or the default.
inline std::uint64_t NumberFromEnvironment(const char* variable,
                                           std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

inline std::uint64_t Seed() {
  static const std::uint64_t seed =
      NumberFromEnvironment("SEED", std::random_device{}());
  return seed;
}

}  // namespace workerpool_test
