#include "ycsb_loader.h"

#include <algorithm>
#include <chrono>

#include "row.h"
#include "ycsb.h"

namespace bench {

std::uint64_t YcsbMemoryBytes(std::uint32_t rows) {
  // Measured: key, page and allocator add about 100 bytes to a row. The rest
  // is a margin for other allocators.
  constexpr std::uint64_t kPerRow = kStoredRowBytes + 250;
  constexpr std::uint64_t kFixed = 64ull << 20;
  return kFixed + rows * kPerRow;
}

// Eviction begins at 80 % of the cache.
std::uint64_t YcsbCacheBytes(std::uint32_t rows) {
  return 2 * YcsbMemoryBytes(rows);
}

YcsbLoader::YcsbLoader(Engine& engine, std::uint32_t rows,
                       std::uint32_t threads) {
  // Each thread appends to a range of its own: ascending keys split pages
  // cheaply.
  for (std::uint32_t i = 0; i < threads; ++i) {
    const auto first =
        static_cast<std::uint32_t>(std::uint64_t{rows} * i / threads);
    const auto end =
        static_cast<std::uint32_t>(std::uint64_t{rows} * (i + 1) / threads);
    threads_.push_back(std::async(
        std::launch::async, [=, this, &engine] { Load(engine, first, end); }));
  }
}

bool YcsbLoader::Finished() {
  for (auto& thread : threads_) {
    if (!thread.valid()) continue;
    if (thread.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      return false;
    thread.get();
  }
  return true;
}

void YcsbLoader::Load(Engine& engine, std::uint32_t first, std::uint32_t end) {
  constexpr std::uint32_t kRowsPerTransaction = 1000;
  const auto session = engine.Open();
  StoredRow row;
  while (first < end && !stop_) {
    const std::uint32_t stop =
        first + std::min(kRowsPerTransaction, end - first);
    session->Begin();
    for (std::uint32_t key = first; key < stop; ++key) {
      FillRow(key, row);
      session->Put(Key(kYcsbTable, key), {row.data(), row.size()});
    }
    session->Commit();
    loaded_ += stop - first;
    first = stop;
  }
}

}  // namespace bench
