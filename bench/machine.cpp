#include "machine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

namespace bench {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

// The value of the first line "name : value" of a file under /proc, or an empty
// string.
std::string ProcValue(const char* file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, name.size(), name) != 0) continue;
    const auto value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

std::string Compiler() {
#if defined(__clang__)
  std::string name = fmt::format("clang {}.{}.{}", __clang_major__,
                                 __clang_minor__, __clang_patchlevel__);
#else
  std::string name = fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__,
                                 __GNUC_PATCHLEVEL__);
#endif
#if !defined(__OPTIMIZE__)
  name += " (not optimised)";
#endif
  return name;
}

// A limit file holds a number, or "max" for none.
std::uint64_t Limit(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t limit;
  return in >> limit ? limit : kUnlimited;
}

// A group's limit binds all its descendants, so each ancestor counts. The limit
// is compared as it is: what the group's page cache holds now can be reclaimed.
std::uint64_t ControlGroupLimit() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  // Version 1 of control groups.
  std::uint64_t least = Limit(root / "memory/memory.limit_in_bytes");
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // Version 2 has one line, with number 0.
    if (line.compare(0, 3, "0::") != 0) continue;
    for (std::filesystem::path group = line.substr(3);;
         group = group.parent_path()) {
      least =
          std::min(least, Limit(root / group.relative_path() / "memory.max"));
      if (!group.has_relative_path()) break;
    }
  }
  return least;
}

// `ulimit -v` counts address space, of which threads' stacks take much without
// using it. WiredTiger crashes if it cannot start its threads.
std::uint64_t AddressSpaceLimit() {
  constexpr std::uint64_t kStacks = 256ull << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return kUnlimited;
  }
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, kStacks);
}

}  // namespace

Machine ThisMachine() {
  Machine machine;
  utsname system{};
  uname(&system);
  // The version without what a distributor or a host appends.
  const std::string release = system.release;
  machine.kernel = fmt::format("{} {}", system.sysname,
                               release.substr(0, release.find('-')));
  machine.cpu = ProcValue("/proc/cpuinfo", "model name");
  if (machine.cpu.empty()) machine.cpu = system.machine;
  machine.cores = std::max(1u, std::thread::hardware_concurrency());
  machine.compiler = Compiler();
  return machine;
}

std::string MachineName(const Machine& machine) {
  std::string cpu = machine.cpu;
  for (const std::string mark : {"(R)", "(TM)"}) {
    for (auto at = cpu.find(mark); at != std::string::npos;
         at = cpu.find(mark)) {
      cpu.erase(at, mark.size());
    }
  }
  std::string name;
  for (const unsigned char c : fmt::format("{} {} cores", cpu, machine.cores)) {
    if (std::isalnum(c)) {
      name += static_cast<char>(std::tolower(c));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

std::uint64_t AvailableMemory() {
  std::istringstream available(ProcValue("/proc/meminfo", "MemAvailable"));
  std::uint64_t kib;
  const std::uint64_t bytes = available >> kib ? kib * 1024 : kUnlimited;
  return std::min({bytes, ControlGroupLimit(), AddressSpaceLimit()});
}

CpuTime ReadCpuTime() {
  std::ifstream in("/proc/stat");
  std::string cpu;
  in >> cpu;
  CpuTime time;
  // user nice system idle iowait irq softirq steal; guest time is part of user
  // time already.
  for (int field = 0; field < 8; ++field) {
    std::uint64_t ticks = 0;
    in >> ticks;
    time.total += ticks;
    if (field == 7) time.steal = ticks;
  }
  return time;
}

}  // namespace bench
