// The storage engine as a workload sees it: ordered keys, transactions, one
// session per terminal.
//
// A key is a table byte followed by big-endian integers, so byte order is key
// order and one engine table holds every table of a workload.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace bench {

// The engine could not do what was asked; what() is one line.
class EngineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Key {
 public:
  Key(char table, std::uint32_t row)
      : bytes_{table, Byte(row, 3), Byte(row, 2), Byte(row, 1), Byte(row, 0)} {}
  std::string_view Bytes() const { return {bytes_.data(), bytes_.size()}; }

 private:
  static char Byte(std::uint32_t row, int byte) {
    return static_cast<char>(row >> (8 * byte));
  }
  std::array<char, 5> bytes_;
};

// One terminal's connection. Not thread-safe, but not tied to a thread either:
// the statements of a transaction may run on different threads one after the
// other. Failures throw EngineError.
class Session {
 public:
  virtual ~Session() = default;
  virtual void Begin() = 0;
  // The value stored under `key`, valid until the next call; throws if there is
  // none.
  virtual std::string_view Get(const Key& key) = 0;
  virtual void Put(const Key& key, std::string_view value) = 0;
  virtual void Commit() = 0;
};

// Thread-safe. Outlives its sessions.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Session> Open() = 0;
};

}  // namespace bench
