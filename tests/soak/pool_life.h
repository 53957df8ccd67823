// PoolLife is a WorkerPool from its construction to its destruction: sessions
// under load, each to an end that can be told.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <list>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "pool/worker_pool.h"
#include "soak/context.h"
#include "soak/doors.h"
#include "soak/ledger.h"
#include "soak/load.h"
#include "soak/outsiders.h"
#include "strategies.h"

namespace soak {

template <class Strategy>
class PoolLife {
 public:
  explicit PoolLife(Context& context)
      : context_(context),
        pool_(std::in_place,
              workerpool::WorkerPoolOptions{
                  .workers = context.Workers(),
                  .queue_capacity = context.QueueCapacity(),
                  .on_exception = [this](std::exception_ptr) { ++handled_; }}) {
    context_.stage.pool = "WorkerPool";
  }

  void Run() {
    for (int i = 0; i != 5 && pool_ && !context_.watch.Over(); ++i) {
      RunSession(static_cast<End>(context_.random() % kEnds.size()));
    }
    // A stray of an earlier session may have run in a later one.
    pool_.reset();
    for (const Ledger& ledger : ledgers_) context_.RequireRight(ledger);
  }

 private:
  using Pool = workerpool_test::PoolOf<Strategy>;

  // How a session may end. A new way is an entry here, in kEnds, and a case in
  // EndSession.
  enum class End {
    kAfterIdle,
    kShutdown,
    kRacingShutdowns,
    kShutdownUnderLoad,
    kRestartsUnderLoad,
    kShutdownNow,
    kShutdownNowsUnderLoad,
    kDestruction
  };
  static constexpr std::array kEnds = {
      "WaitIdle, Shutdown",      "Shutdown",
      "racing Shutdowns",        "Shutdown under load",
      "restarts under load",     "ShutdownNow and Shutdown",
      "ShutdownNows under load", "destruction"};

  void RunSession(End end) {
    Ledger& ledger = ledgers_.emplace_back(kMostTasks, context_.totals);
    auto& load = loads_.emplace_back(PoolDoor<Pool>{*pool_}, ledger);
    const std::uint64_t thrown_before = pool_->TaskExceptions();
    handled_ = 0;
    context_.stage.end = kEnds[static_cast<std::size_t>(end)];
    context_.stage.step = "starting";
    Outsiders starters;
    starters.Add(2, [this] { pool_->Startup(); });
    starters.Join();
    context_.stage.step = "submitting";
    SubmitAgainst(end, load, ledger);
    context_.stage.step = "ending";
    EndSession(end, ledger);
    context_.RequireRight(ledger);
    context_.Require(handled_ == ledger.Thrown(),
                     std::to_string(ledger.Thrown()) + " tasks threw, " +
                         std::to_string(handled_) + " reached the handler");
    if (pool_) {
      context_.Require(
          pool_->TaskExceptions() - thrown_before == ledger.Thrown(),
          "TaskExceptions() has another sum");
    }
    ++context_.totals.sessions;
  }

  // Submitters, a thread that waits for idle, and what disturbs them.
  void SubmitAgainst(End end, Load<PoolDoor<Pool>>& load, Ledger& ledger) {
    std::atomic<bool> submitted{false};
    Outsiders others;
    others.AddRepeating(1, submitted, [this] { pool_->WaitIdle(); });
    if (end == End::kShutdownUnderLoad) {
      others.Add(1, [this, us = context_.random() % 500] {
        std::this_thread::sleep_for(std::chrono::microseconds(us));
        pool_->Shutdown();
      });
    }
    if (end == End::kRestartsUnderLoad) {
      others.AddRepeating(2, submitted, [this] {
        pool_->Shutdown();
        pool_->Startup();
      });
    }
    if (end == End::kShutdownNowsUnderLoad) {
      others.AddRepeating(2, submitted, [&] {
        ledger.Dropped(pool_->ShutdownNow());
        pool_->Startup();
      });
    }
    SubmitBursts(load, context_.random);
    submitted = true;
  }

  void EndSession(End end, Ledger& ledger) {
    switch (end) {
      case End::kAfterIdle:
        pool_->WaitIdle();
        context_.RequireRight(ledger);
        pool_->Shutdown();
        return;
      case End::kRacingShutdowns: {
        Outsiders callers;
        callers.Add(3, [this] { pool_->Shutdown(); });
        return;
      }
      case End::kShutdownNow: {
        Outsiders callers;
        callers.Add(2, [&] { ledger.Dropped(pool_->ShutdownNow()); });
        callers.Add(1, [this] { pool_->Shutdown(); });
        return;
      }
      case End::kShutdown:
      case End::kShutdownNowsUnderLoad:
      case End::kShutdownUnderLoad:
      case End::kRestartsUnderLoad:
        pool_->Shutdown();
        return;
      case End::kDestruction:
        pool_.reset();
        return;
    }
  }

  Context& context_;
  std::atomic<std::uint64_t> handled_{0};
  std::list<Ledger> ledgers_;  // of this pool's sessions
  std::list<Load<PoolDoor<Pool>>> loads_;
  std::optional<Pool> pool_;
};

}  // namespace soak
