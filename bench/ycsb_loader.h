// YcsbLoader fills the table with one thread per core, in the background, so
// that the main thread can report progress and stop it.
#pragma once
#include <atomic>
#include <cstdint>
#include <future>
#include <vector>

#include "engine.h"

namespace bench {

// How much memory a run with a table of `rows` rows takes, in bytes.
std::uint64_t YcsbMemoryBytes(std::uint32_t rows);

// How large the engine's cache has to be for it never to look for something to
// evict.
std::uint64_t YcsbCacheBytes(std::uint32_t rows);

// Belongs to one thread. The destructor stops the load and waits for its
// threads.
class YcsbLoader {
 public:
  YcsbLoader(Engine& engine, std::uint32_t rows, std::uint32_t threads);
  ~YcsbLoader() { stop_ = true; }

  // Rethrows what stopped a thread.
  bool Finished();
  std::uint32_t RowsLoaded() const { return loaded_; }

 private:
  void Load(Engine& engine, std::uint32_t first, std::uint32_t end);

  std::atomic<std::uint32_t> loaded_{0};
  std::atomic<bool> stop_{false};
  std::vector<std::future<void>> threads_;  // last: their destructors wait
};

}  // namespace bench
