// A pool of static storage duration in a library: unloading the library drains
// it, and no worker is left to run code that is gone.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>

#include "threads_of_process.h"

namespace workerpool_test {
namespace {

TEST(LibraryTest, UnloadingALibraryDrainsItsStaticPools) {
  for (int round = 0; round != 3; ++round) {
    std::atomic<int> runs{0};
    void* const library = dlopen(UNLOADED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto run_tasks = reinterpret_cast<void (*)(std::atomic<int>&, int)>(
        dlsym(library, "RunTasks"));
    ASSERT_NE(run_tasks, nullptr);
    run_tasks(runs, 100);
    ASSERT_EQ(dlclose(library), 0);
    EXPECT_EQ(runs, 200);
    EXPECT_EQ(CountThreadsNamed("library-"), 0u);
    EXPECT_EQ(dlopen(UNLOADED_LIBRARY, RTLD_NOW | RTLD_NOLOAD), nullptr)
        << "it is still there, so this shows nothing";
  }
}

}  // namespace
}  // namespace workerpool_test
