// The pool with CondVarWait. None of these models has a timer.
#include "drop_models.h"
#include "lifecycle_models.h"
#include "pool_models.h"

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<
      TasksRunBeforeShutdownBegins<CondVar, 1, 1>,
      TasksRunBeforeShutdownBegins<CondVar, 2, 2>,
      AcceptedRunsRefusedDoesNot<CondVar, 1>,
      AcceptedRunsRefusedDoesNot<CondVar, 2>,
      EveryShutdownReturnsAfterTheLastWorker<CondVar, 1>,
      EveryShutdownReturnsAfterTheLastWorker<CondVar, 2>,
      ChildOfADrainRuns<CondVar, 1>, ChildOfADrainRuns<CondVar, 2>,
      PayloadIsHandedOverAndBack<CondVar, 1>,
      PayloadIsHandedOverAndBack<CondVar, 2>,
      ShutdownWakesIdleWorkers<CondVar, 1>,
      ShutdownWakesIdleWorkers<CondVar, 3>,
      LastCompletionWakesEveryWorker<CondVar>,
      StartupAndShutdownAreSerialised<CondVar, 1>,
      StartupAndShutdownAreSerialised<CondVar, 2>,
      StrayTaskRunsInOneSession<CondVar, 1>, ThreeShutdownsReturn<CondVar>,
      TwoWaitersOverTwoRounds<CondVar>, TasksThatMeetBothRun<CondVar>,
      FailedStartupLeavesNothing<CondVar>,
      FailedStartupLetsWaitersGoOn<CondVar>,
      SubmitThatThrowsAcceptsNothing<CondVar, 1>,
      AcceptedRunsOrIsDropped<CondVar, 1>, AcceptedRunsOrIsDropped<CondVar, 2>,
      ChildIsRefusedOrDropped<CondVar, 1>,
      ShutdownNowJoinsAShutdown<CondVar, 1>,
      ShutdownNowJoinsTwoShutdowns<CondVar, 1>,
      OneOfTwoShutdownNowsDrops<CondVar, 1>,
      NextSessionIsNotDropped<CondVar, 1>>(argc, argv);
}
