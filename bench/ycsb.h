// YCSB read-only: each transaction reads one row by key, all ten fields, keys
// Zipfian.
//
// BEGIN and COMMIT run on the terminal's own thread and the SELECT is one
// statement, that is, one task of the pool. Every row is checked against its
// key where it is read.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>

#include "coroutine.h"
#include "engine.h"
#include "row.h"
#include "zipfian.h"

namespace bench {

inline constexpr char kYcsbTable = 'y';

// A row was read that is not the one stored.
class WrongRow : public std::runtime_error {
 public:
  explicit WrongRow(std::uint32_t key)
      : runtime_error(
            fmt::format("row {} is not the row that was stored", key)) {}
};

// One client. Not thread-safe; its statement runs while the terminal waits for
// it. Aligned, because without a pool neighbouring terminals run on different
// threads.
class alignas(64) YcsbTerminal {
 public:
  // Terminals with the same seed ask for the same keys, in every strategy.
  // `keys` outlives this.
  YcsbTerminal(Engine& engine, const ZipfianKeys& keys, std::uint64_t seed)
      : session_(engine.Open()), keys_(keys), random_(seed) {}

  template <class Executor>
  Coroutine Transaction(Executor& executor) {
    session_->Begin();
    const std::uint32_t key = keys_(random_);
    co_await executor.Run([this, key] { SelectRow(key); });
    session_->Commit();
  }

  std::uint64_t RowsVerified() const { return rows_verified_; }

 private:
  void SelectRow(std::uint32_t key) {
    if (!IsRowOf(key, session_->Get(Key(kYcsbTable, key)))) throw WrongRow(key);
    ++rows_verified_;
  }

  std::unique_ptr<Session> session_;
  const ZipfianKeys& keys_;
  std::mt19937_64 random_;
  std::uint64_t rows_verified_ = 0;
};

}  // namespace bench
