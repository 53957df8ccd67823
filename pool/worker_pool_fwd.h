// Forward declarations for headers that only name the pool.
#pragma once

namespace workerpool::inline v1 {

class BackoffWorkerPool;
class CondVarWorkerPool;
class MonoQueuePool;
class TaskQueue;
class WorkerPool;
struct WorkerPoolOptions;

}  // namespace workerpool::inline v1
