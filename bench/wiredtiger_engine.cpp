#include "wiredtiger_engine.h"

#include <fmt/format.h>
#include <wiredtiger.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

namespace bench {
namespace {

constexpr const char* kTable = "table:rows";

// WiredTiger says why it failed only to this handler, never in its return code.
// The handler keeps the first message, because the later ones are consequences.
class ErrorHandler : public WT_EVENT_HANDLER {
 public:
  ErrorHandler() : WT_EVENT_HANDLER{} {
    handle_error = [](WT_EVENT_HANDLER* self, WT_SESSION*, int,
                      const char* message) {
      static_cast<ErrorHandler*>(self)->Keep(message);
      return 0;
    };
  }

  void Check(int code, const char* act) {
    if (code == 0) return;
    std::lock_guard lock(mutex_);
    const std::string why =
        message_.empty() ? wiredtiger_strerror(code) : message_;
    throw EngineError(fmt::format("WiredTiger cannot {}: {}", act, why));
  }

 private:
  void Keep(const char* message) {
    std::lock_guard lock(mutex_);
    if (!message_.empty()) return;
    message_ = message;
    std::replace(message_.begin(), message_.end(), '\n', ' ');
  }

  std::mutex mutex_;
  std::string message_;
};

WT_ITEM Item(std::string_view bytes) {
  WT_ITEM item{};
  item.data = bytes.data();
  item.size = bytes.size();
  return item;
}

class WiredTigerSession : public Session {
 public:
  WiredTigerSession(WT_CONNECTION* connection, ErrorHandler& errors)
      : errors_(errors) {
    errors_.Check(connection->open_session(connection, nullptr,
                                           "isolation=snapshot", &session_),
                  "open a session");
    // The destructor does not run if this throws; the connection then closes
    // the session.
    errors_.Check(
        session_->open_cursor(session_, kTable, nullptr, nullptr, &cursor_),
        "open a cursor");
  }
  ~WiredTigerSession() override { session_->close(session_, nullptr); }

  void Begin() override {
    errors_.Check(session_->begin_transaction(session_, nullptr), "begin");
  }

  std::string_view Get(const Key& key) override {
    WT_ITEM item = Item(key.Bytes());
    cursor_->set_key(cursor_, &item);
    errors_.Check(cursor_->search(cursor_), "find a row");
    errors_.Check(cursor_->get_value(cursor_, &item), "read a row");
    return {static_cast<const char*>(item.data), item.size};
  }

  void Put(const Key& key, std::string_view value) override {
    WT_ITEM key_item = Item(key.Bytes());
    WT_ITEM value_item = Item(value);
    cursor_->set_key(cursor_, &key_item);
    cursor_->set_value(cursor_, &value_item);
    errors_.Check(cursor_->insert(cursor_), "store a row");
  }

  void Commit() override {
    errors_.Check(session_->commit_transaction(session_, nullptr), "commit");
  }

 private:
  ErrorHandler& errors_;
  WT_SESSION* session_ = nullptr;
  WT_CURSOR* cursor_ = nullptr;
};

class WiredTigerEngine : public Engine {
 public:
  explicit WiredTigerEngine(const WiredTigerOptions& options) {
    // The thresholds for dirty data keep eviction threads asleep: in memory all
    // data stays dirty, and threads that look for something to evict would
    // compete with the workers.
    const std::string config = fmt::format(
        "create,in_memory=true,cache_size={},session_max={},"
        "eviction_dirty_target=95,eviction_dirty_trigger=99",
        options.cache_bytes, options.sessions + kOwnSessions);
    errors_.Check(wiredtiger_open(options.home.c_str(), &errors_,
                                  config.c_str(), &connection_),
                  "start");
    try {
      CreateTable();
    } catch (...) {
      connection_->close(connection_, nullptr);
      throw;
    }
  }
  ~WiredTigerEngine() override {
    connection_->close(connection_, "leak_memory");
  }

  std::unique_ptr<Session> Open() override {
    return std::make_unique<WiredTigerSession>(connection_, errors_);
  }

 private:
  static constexpr std::uint32_t kOwnSessions =
      32;  // what WiredTiger's own threads take

  void CreateTable() {
    WT_SESSION* session = nullptr;
    errors_.Check(
        connection_->open_session(connection_, nullptr, nullptr, &session),
        "open a session");
    errors_.Check(
        session->create(session, kTable, "key_format=u,value_format=u"),
        "create a table");
    errors_.Check(session->close(session, nullptr), "close a session");
  }

  ErrorHandler errors_;
  WT_CONNECTION* connection_ = nullptr;
};

}  // namespace

std::unique_ptr<Engine> OpenWiredTiger(const WiredTigerOptions& options) {
  return std::make_unique<WiredTigerEngine>(options);
}

std::string WiredTigerVersion() {
  int major = 0, minor = 0, patch = 0;
  wiredtiger_version(&major, &minor, &patch);
  return fmt::format("WiredTiger {}.{}.{}", major, minor, patch);
}

}  // namespace bench
