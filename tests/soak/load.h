// Load makes tasks of all kinds: small and large ones, tasks that submit, that
// throw, that cannot be copied or moved, and captures whose destructors submit.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "soak/ledger.h"

namespace soak {

// Set on the threads that are no workers. Nothing that a worker submits may be
// refused, as its own task is still pending, unless the pool drops.
inline thread_local bool outsider = false;

// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
inline std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

template <class Door>
class Load {
 public:
  Load(Door door, Ledger& ledger) : door_(door), ledger_(ledger) {}

  // One submitter's tasks.
  void Burst(std::mt19937_64 random) {
    const auto tasks = random() % 4 == 0 ? random() % 1000 : random() % 60;
    for (std::uint64_t i = 0; i != tasks; ++i) {
      Submit(random(), /*depth=*/3);
      if (random() % 128 == 0) std::this_thread::yield();
    }
  }

 private:
  using Fate = Ledger::Fate;

  class Capture {
   public:
    explicit Capture(Ledger& ledger) noexcept : ledger_(&ledger) {
      ledger_->CaptureBorn();
    }
    Capture(const Capture& other) noexcept : Capture(*other.ledger_) {}
    ~Capture() { ledger_->CaptureDied(); }

   private:
    Ledger* ledger_;
  };

  // Submits a task when it dies.
  class Farewell {
   public:
    explicit Farewell(Load& load) : load_(&load) {}
    Farewell(const Farewell&) = default;
    Farewell(Farewell&& other) noexcept
        : load_(std::exchange(other.load_, nullptr)) {}
    ~Farewell() {
      if (load_ != nullptr) load_->Submit(/*dice=*/0, /*depth=*/0);
    }

   private:
    Load* load_;
  };

  struct Job {
    Load* load;
    Fate* fate;
    std::uint64_t dice;
    unsigned depth;
    Capture capture;
    void operator()() { load->Run(*this); }
  };

  struct JobWithFarewell {
    Job job;
    Farewell farewell;
    void operator()() { job(); }
  };

  struct LargeJob {
    Job job;
    std::array<char, 100> padding;
    void operator()() { job(); }
  };

  struct MoveOnlyJob {
    std::unique_ptr<Job> job;
    void operator()() { (*job)(); }
  };

  struct Immovable : std::exception {};

  struct ImmovableJob {
    Job job;
    explicit ImmovableJob(const Job& j) : job(j) {}
    ImmovableJob(const ImmovableJob& other) : job(other.job) {
      throw Immovable();
    }
    void operator()() { job(); }
  };

  void Submit(std::uint64_t dice, unsigned depth) {
    Fate* const fate = ledger_.NewTask();
    if (fate == nullptr) return;
    try {
      if (Enter({this, fate, dice, depth, Capture(ledger_)}, dice / 8)) {
        ledger_.Accepted(*fate);
        return;
      }
      if (!outsider && !door_.Drops()) ledger_.ChildRefused();
    } catch (const Immovable&) {
    }
    ledger_.Refused();
  }

  bool Enter(Job job, std::uint64_t dice) {
    const std::uint64_t way = dice / 8;
    switch (dice % 8) {
      case 0:
        return door_.Enter(job, way);
      case 1:
        return EnterWithFarewell(job, way);
      case 2:
        return door_.Enter(LargeJob{job, {}}, way);
      case 3:
        return door_.Enter(std::function<void()>(job), way);
      case 4:
        return door_.Enter(ImmovableJob(job), way);
      case 5:
        return EnterMoveOnly(std::move(job), way);
      default:
        return door_.Enter(std::move(job), way);
    }
  }

  // An lvalue says farewell twice: here, and in the pool.
  bool EnterWithFarewell(const Job& job, std::uint64_t way) {
    JobWithFarewell task{job, Farewell(*this)};
    return way % 4 == 0 ? door_.Enter(task, way / 4)
                        : door_.Enter(std::move(task), way / 4);
  }

  bool EnterMoveOnly(Job job, std::uint64_t way) {
    if constexpr (Door::kTakesMoveOnly) {
      MoveOnlyJob task{std::make_unique<Job>(std::move(job))};
      return door_.Enter(std::move(task), way);
    } else {
      return door_.Enter(LargeJob{job, {}}, way);
    }
  }

  void Run(const Job& job) {
    ledger_.Ran(*job.fate);
    std::uint64_t dice = Mix(job.dice);
    if (job.depth != 0 && dice % 3 == 0) {
      for (int child = 0; child != 2; ++child) {
        Submit(dice = Mix(dice), job.depth - 1);
      }
    }
    if (dice % 256 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    if constexpr (Door::kHandlesExceptions) {
      if (dice % 7 == 0) {
        ledger_.Throws();
        throw std::runtime_error("expected");
      }
    }
  }

  Door door_;
  Ledger& ledger_;
};

}  // namespace soak
