// A library that is loaded, used and unloaded, with a pool of static storage
// duration inside. For library_test.cpp.
#include <atomic>

#include "pool/worker_pool.h"

namespace {

template <class Pool>
void RunOn(std::atomic<int>& runs, int tasks) {
  static Pool pool("library", 2);
  pool.Startup();
  for (int i = 0; i != tasks; ++i) pool.Submit([&runs] { ++runs; });
}

}  // namespace

extern "C" void RunTasks(std::atomic<int>& runs, int tasks) {
  RunOn<workerpool::BackoffWorkerPool>(runs, tasks);
  RunOn<workerpool::CondVarWorkerPool>(runs, tasks);
}
