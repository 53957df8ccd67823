// Sessions of the original's interface under load, one per pool.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "pool/mono_queue_pool.h"
#include "pool/worker_pool.h"
#include "soak/context.h"
#include "soak/doors.h"
#include "soak/ledger.h"
#include "soak/load.h"
#include "soak/outsiders.h"
#include "strategies.h"

namespace soak {

// A queue before the pool, and a thread that takes tasks out of it.
template <class Strategy>
void RunQueueSession(Context& context) {
  using Pool = workerpool_test::PoolOf<Strategy>;
  context.stage.pool = "TaskQueue and WorkerPool";
  context.stage.end = "restarts under load";
  context.stage.step = "submitting";
  workerpool::TaskQueue queue(context.QueueCapacity());
  Pool pool("soak", context.Workers(), queue);
  Ledger ledger(kMostTasks, context.totals);
  Load<QueueDoor<Pool>> load({pool, queue}, ledger);
  {
    std::atomic<bool> submitted{false};
    Outsiders others;
    others.AddRepeating(1, submitted, [&] {
      pool.Startup();
      pool.WaitIdle();
      pool.Shutdown();
    });
    others.AddRepeating(1, submitted, [&] {
      std::function<void()> task;
      if (queue.Dequeue(task)) task();
    });
    SubmitBursts(load, context.random);
    submitted = true;
  }
  context.stage.step = "ending";
  pool.Startup();
  pool.Shutdown();
  context.RequireRight(ledger);
  context.Require(queue.IsEmpty(), "the queue is not empty");
  ++context.totals.sessions;
}

// A pool that starts itself, against Shutdowns.
template <class Strategy>
void RunMonoSession(Context& context) {
  using Pool =
      workerpool::BasicMonoQueuePool<workerpool_test::PoolOf<Strategy>>;
  context.stage.pool = "MonoQueuePool";
  context.stage.end = "Shutdowns under load";
  context.stage.step = "submitting";
  Pool pool("soak", static_cast<std::uint32_t>(context.QueueCapacity()),
            context.Workers());
  Ledger ledger(kMostTasks, context.totals);
  Load<MonoDoor<Pool>> load({pool}, ledger);
  {
    std::atomic<bool> submitted{false};
    Outsiders others;
    others.AddRepeating(2, submitted, [&] { pool.Shutdown(); });
    SubmitBursts(load, context.random);
    submitted = true;
  }
  context.stage.step = "ending";
  pool.Shutdown();
  context.RequireRight(ledger);
  ++context.totals.sessions;
}

}  // namespace soak
