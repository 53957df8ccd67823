// What the kernel knows about this process's threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

namespace workerpool_test {

inline std::size_t CountThreads() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    ++count;
  }
  return count;
}

// Calls found(file) for the status file of each thread whose name starts so.
template <class Found>
void ForEachThreadNamed(const std::string& start, Found found) {
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(entry.path() / "status");
    std::string key, name;
    status >> key >> name;
    if (name.starts_with(start)) found(status);
  }
}

// A thread gives itself its name, a little after its creation.
inline std::size_t CountThreadsNamed(const std::string& start) {
  std::size_t count = 0;
  ForEachThreadNamed(start, [&](std::ifstream&) { ++count; });
  return count;
}

// How often those threads have gone to sleep by their own will.
inline long VoluntarySwitchesOf(const std::string& start) {
  long sum = 0;
  ForEachThreadNamed(start, [&](std::ifstream& status) {
    for (std::string line; std::getline(status, line);) {
      const std::string key = "voluntary_ctxt_switches:";
      if (line.starts_with(key)) sum += std::stol(line.substr(key.size()));
    }
  });
  return sum;
}

}  // namespace workerpool_test
