// WiredTiger in memory, at snapshot isolation. This is the only part of the
// repository that links a library under the GPL; see README.md for what follows
// from that.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "engine.h"

namespace bench {

struct WiredTigerOptions {
  std::filesystem::path
      home;  // an existing, empty directory for the engine's few small files
  std::uint64_t
      cache_bytes;  // must hold all data, since nothing can be evicted to disk
  std::uint32_t sessions;  // most sessions open at the same time
};

// Throws EngineError if the engine cannot start.
std::unique_ptr<Engine> OpenWiredTiger(const WiredTigerOptions& options);

// Name and version of the library that is linked.
std::string WiredTigerVersion();

}  // namespace bench
