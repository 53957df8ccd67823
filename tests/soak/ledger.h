// Ledger is the account of one session. Each task's fate is known by itself:
// in sums alone, a refused task that ran would make up for an accepted one
// that did not.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace soak {

// Over all sessions so far; also the sign of life that the watch looks at.
struct Totals {
  std::atomic<std::uint64_t> accepted{0}, run{0}, dropped{0}, refused{0};
  std::atomic<std::uint64_t> thrown{0}, sessions{0};

  std::uint64_t Sum() const {
    return accepted + run + dropped + refused + thrown + sessions;
  }
};

inline std::string Text(const Totals& totals) {
  return "accepted " + std::to_string(totals.accepted) + ", run " +
         std::to_string(totals.run) + ", dropped " +
         std::to_string(totals.dropped) + ", refused " +
         std::to_string(totals.refused) + ", thrown " +
         std::to_string(totals.thrown) + ", " +
         std::to_string(totals.sessions) + " sessions";
}

class Ledger {
 public:
  struct Fate {
    std::atomic<std::uint8_t> runs{0}, accepted{0};
  };

  Ledger(std::size_t most_tasks, Totals& totals)
      : fates_(most_tasks), totals_(totals) {}

  // Null once there have been as many tasks as the ledger has room for.
  Fate* NewTask() {
    const std::size_t index = next_.fetch_add(1);
    return index < fates_.size() ? &fates_[index] : nullptr;
  }

  void Accepted(Fate& fate) {
    ++fate.accepted;
    ++totals_.accepted;
  }
  void Refused() { ++totals_.refused; }
  void Ran(Fate& fate) {
    ++fate.runs;
    ++totals_.run;
  }
  void Dropped(std::uint64_t tasks) {
    dropped_ += tasks;
    totals_.dropped += tasks;
  }
  void Throws() {
    ++thrown_;
    ++totals_.thrown;
  }
  void ChildRefused() { ++children_refused_; }
  void CaptureBorn() { ++captures_; }
  void CaptureDied() { --captures_; }

  std::uint64_t Thrown() const { return thrown_; }

  // What is wrong; empty if nothing is. Only while no task is pending and
  // nobody submits.
  std::string Faults() const {
    std::size_t accepted = 0, never = 0, strays = 0;
    for (const Fate& fate : fates_) {
      accepted += fate.accepted;
      never += fate.runs < fate.accepted;
      strays += fate.runs > fate.accepted;
    }
    std::string faults;
    const auto complain = [&](std::size_t count, const char* what) {
      if (count == 0) return;
      faults += (faults.empty() ? "" : ", ") + std::to_string(count) + what;
    };
    if (never != dropped_) {
      complain(never, " accepted tasks never ran");
      complain(dropped_, " tasks were dropped");
    }
    complain(strays, " tasks were refused and ran, or ran twice");
    complain(children_refused_, " submissions by tasks were refused");
    complain(captures_, " captures outlived their task");
    if (!faults.empty()) {
      faults += ", of " + std::to_string(accepted) + " accepted";
    }
    return faults;
  }

 private:
  std::vector<Fate> fates_;
  Totals& totals_;
  std::atomic<std::size_t> next_{0}, captures_{0};
  std::atomic<std::size_t> children_refused_{0};
  std::atomic<std::uint64_t> thrown_{0}, dropped_{0};
};

}  // namespace soak
