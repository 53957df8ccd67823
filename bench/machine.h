// Facts about the machine: what a result was measured on, and whether the table
// fits into it. A machine is known by CPU model and core count only, never by a
// host name.
#pragma once
#include <cstdint>
#include <string>

#include "results.h"

namespace bench {

// CPU, cores this process may use, kernel and compiler; commit and engine stay
// empty.
Machine ThisMachine();

// A name for a directory: "AMD EPYC", 2 cores -> "amd-epyc-2-cores".
std::string MachineName(const Machine& machine);

// Bytes this process may still allocate: what the kernel calls available, cut
// by the memory limits of its control groups and by `ulimit -v`. The largest
// number if nothing is known.
std::uint64_t AvailableMemory();

// CPU time of all cores since boot, in clock ticks.
struct CpuTime {
  std::uint64_t total = 0;
  std::uint64_t steal = 0;
};
CpuTime ReadCpuTime();

}  // namespace bench
