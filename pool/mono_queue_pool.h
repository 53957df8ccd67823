// MonoQueuePool completes the original's interface: a pool with a queue of its
// own that starts when the first task comes.
//
//   the pool is    SubmitTask
//   stopped        starts it, and is accepted
//   starting       waits for the outcome
//   running        accepted
//   draining       from a task: accepted; else waits for the drain, starts a
//                  new session
//   dropping       refused (ShutdownNow)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "worker_pool.h"

namespace workerpool::inline v1 {

// Thread-safe, except construction and destruction.
template <class Pool>
class BasicMonoQueuePool {
 public:
  // std::invalid_argument for no workers, or a queue size that is not from 1 to
  // 2^30. The queue's size is room without an allocation, not a bound.
  BasicMonoQueuePool(const std::string& name, std::uint32_t task_queue_size,
                     std::uint32_t worker_pool_size)
      : pool_({.name = name,
               .workers = worker_pool_size,
               .queue_capacity = task_queue_size}) {}

  // As WorkerPool's.
  void Startup() { pool_.Startup(); }
  void Shutdown() { pool_.Shutdown(); }
  std::size_t ShutdownNow() { return pool_.ShutdownNow(); }

  // Submits a copy of the task; starts the pool first if need be. Throws what
  // Startup throws, what Submit throws but for a stopped pool, and during a
  // ShutdownNow std::system_error (operation_not_permitted); it has then
  // accepted nothing.
  template <class F>
  void SubmitTask(const F& task) {
    static_assert(std::is_copy_constructible_v<std::decay_t<F>>,
                  "workerpool: SubmitTask copies its task; WorkerPool::Submit "
                  "takes one that can only be moved");
    while (!pool_.TrySubmit(task)) {
      if (pool_.IsDropping()) return pool_.Submit(task);  // to be refused
      pool_.Startup();
    }
  }

  std::uint32_t NumWorkers() const { return pool_.NumWorkers(); }
  bool IsRunning() const { return pool_.IsRunning(); }

 private:
  Pool pool_;
};

class MonoQueuePool : public BasicMonoQueuePool<CondVarWorkerPool> {
 public:
  using BasicMonoQueuePool::BasicMonoQueuePool;
};

}  // namespace workerpool::inline v1
