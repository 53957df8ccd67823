// The pool with BackoffWait: tasks are picked up by a timer that fires, the end
// and a drain without one that takes long (README.md, "Masking").
#include "drop_models.h"
#include "lifecycle_models.h"
#include "pool_models.h"

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<
      TasksRunBeforeShutdownBegins<Backoff, 1, 1>,
      TasksRunBeforeShutdownBegins<Backoff, 2, 2>,
      AcceptedRunsRefusedDoesNot<Backoff, 1>,
      AcceptedRunsRefusedDoesNot<Backoff, 2>,
      AcceptedRunsRefusedDoesNot<BackoffHours, 1>,
      EveryShutdownReturnsAfterTheLastWorker<Backoff, 1>,
      EveryShutdownReturnsAfterTheLastWorker<Backoff, 2>,
      ChildOfADrainRuns<Backoff, 1>, ChildOfADrainRuns<Backoff, 2>,
      PayloadIsHandedOverAndBack<Backoff, 1>,
      PayloadIsHandedOverAndBack<Backoff, 2>,
      ShutdownWakesIdleWorkers<BackoffHours, 1>,
      ShutdownWakesIdleWorkers<BackoffUntimed, 1>,
      ShutdownWakesIdleWorkers<BackoffUntimed, 3>,
      LastCompletionWakesEveryWorker<BackoffUntimed>,
      StartupAndShutdownAreSerialised<Backoff, 1>,
      StartupAndShutdownAreSerialised<Backoff, 2>,
      StrayTaskRunsInOneSession<Backoff, 1>, ThreeShutdownsReturn<Backoff>,
      TwoWaitersOverTwoRounds<Backoff>, TasksThatMeetBothRun<Backoff>,
      FailedStartupLeavesNothing<Backoff>,
      FailedStartupLetsWaitersGoOn<Backoff>,
      SubmitThatThrowsAcceptsNothing<Backoff, 1>,
      AcceptedRunsOrIsDropped<Backoff, 1>, AcceptedRunsOrIsDropped<Backoff, 2>,
      ChildIsRefusedOrDropped<Backoff, 1>,
      ShutdownNowJoinsAShutdown<Backoff, 1>,
      ShutdownNowJoinsTwoShutdowns<Backoff, 1>,
      OneOfTwoShutdownNowsDrops<Backoff, 1>,
      NextSessionIsNotDropped<Backoff, 1>>(argc, argv);
}
