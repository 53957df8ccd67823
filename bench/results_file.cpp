#include "results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Plan, strategies, runs, seconds, warmup,
                                   terminals, workers, rows, client_us, seed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Machine, cpu, cores, kernel, compiler,
                                   commit, engine)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Run, block, strategy, seconds, transactions,
                                   tps, cpu_us, voluntary_switches,
                                   involuntary_switches, p50_us, p95_us, p99_us,
                                   p999_us, max_us, steal, all_transactions,
                                   tasks_executed, rows_verified)

namespace {

constexpr const char* kWorkload = "YCSB read-only";

[[noreturn]] void Fail(const std::filesystem::path& file,
                       std::string_view why) {
  throw std::runtime_error(fmt::format("{}: {}", file.string(), why));
}

// Returns 0 or an errno value.
int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  // A disk may report that it is full only here.
  return fsync(fd) == 0 ? 0 : errno;
}

}  // namespace

Results ReadResults(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) Fail(file, std::strerror(errno));
  try {
    const auto json = nlohmann::json::parse(in);
    if (json.at("workload") != kWorkload) Fail(file, "is of another workload");
    return {json.at("plan").get<Plan>(), json.at("machine").get<Machine>(),
            json.at("runs").get<std::vector<Run>>()};
  } catch (const nlohmann::json::exception& error) {
    Fail(file, fmt::format("is not a results file: {}", error.what()));
  }
}

void WriteResults(const std::filesystem::path& file, const Results& results) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::exists(status) &&
      !std::filesystem::is_regular_file(status)) {
    Fail(file, "is not a regular file");
  }
  if (file.has_parent_path())
    std::filesystem::create_directories(file.parent_path(), error);
  const nlohmann::json json = {{"workload", kWorkload},
                               {"plan", results.plan},
                               {"machine", results.machine},
                               {"runs", results.runs}};
  auto draft = file;
  draft += ".part";
  const int fd =
      open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0)
    Fail(file, fmt::format("cannot be written: {}", std::strerror(errno)));
  int failure = WriteAll(fd, json.dump(1) + '\n');
  if (close(fd) != 0 && failure == 0) failure = errno;
  if (failure == 0 && std::rename(draft.c_str(), file.c_str()) != 0)
    failure = errno;
  if (failure == 0) return;
  unlink(draft.c_str());
  Fail(file, fmt::format("cannot be written: {}", std::strerror(failure)));
}

}  // namespace bench
