// The command line of tps.
#pragma once
#include <filesystem>
#include <stdexcept>
#include <string>

#include "results.h"

namespace bench {

// The command line asks for something that cannot be done; what() is one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  Plan plan;
  std::filesystem::path json;    // empty: results are only printed
  std::filesystem::path render;  // not empty: print its table and end
  bool resume = false;
  bool force = false;
  bool machine = false;  // print this machine's name and end
  bool help = false;
  std::string help_text;
};

// `known` are the strategies that exist, which is also the default plan. Throws
// UsageError.
Options ParseOptions(int argc, const char* const* argv,
                     const std::vector<std::string>& known);

}  // namespace bench
