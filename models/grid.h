// The table model x strategy x {1, 2 workers} x {1, 2 submitters} of one
// strategy, for `make models-full`. Where submitters play no part, or one
// worker cannot do it, the cells are not there.
#pragma once

#include "drop_models.h"
#include "lifecycle_models.h"
#include "pool_models.h"

namespace models {

template <class S>
int CheckGrid(int argc, char** argv) {
  return Check<
      TasksRunBeforeShutdownBegins<S, 1, 1>,
      TasksRunBeforeShutdownBegins<S, 1, 1, 2>,
      TasksRunBeforeShutdownBegins<S, 2, 1>,
      TasksRunBeforeShutdownBegins<S, 2, 1, 2>,
      TasksRunBeforeShutdownBegins<S, 2, 2>, AcceptedRunsRefusedDoesNot<S, 1>,
      AcceptedRunsRefusedDoesNot<S, 1, 2>, AcceptedRunsRefusedDoesNot<S, 2>,
      AcceptedRunsRefusedDoesNot<S, 2, 2>,
      EveryShutdownReturnsAfterTheLastWorker<S, 1>,
      EveryShutdownReturnsAfterTheLastWorker<S, 1, 2>,
      EveryShutdownReturnsAfterTheLastWorker<S, 2>,
      EveryShutdownReturnsAfterTheLastWorker<S, 2, 2>, ChildOfADrainRuns<S, 1>,
      ChildOfADrainRuns<S, 1, 2>, ChildOfADrainRuns<S, 2>,
      ChildOfADrainRuns<S, 2, 2>, PayloadIsHandedOverAndBack<S, 1>,
      PayloadIsHandedOverAndBack<S, 1, 2>, PayloadIsHandedOverAndBack<S, 2>,
      PayloadIsHandedOverAndBack<S, 2, 2>,
      StartupAndShutdownAreSerialised<S, 1>,
      StartupAndShutdownAreSerialised<S, 2>, StrayTaskRunsInOneSession<S, 1>,
      StrayTaskRunsInOneSession<S, 1, 2>, StrayTaskRunsInOneSession<S, 2>,
      StrayTaskRunsInOneSession<S, 2, 2>, ThreeShutdownsReturn<S, 1>,
      ThreeShutdownsReturn<S, 2>, TwoWaitersOverTwoRounds<S, 1, 1>,
      TwoWaitersOverTwoRounds<S, 1, 2>, TwoWaitersOverTwoRounds<S, 2, 1>,
      TwoWaitersOverTwoRounds<S, 2, 2>, TasksThatMeetBothRun<S, 1>,
      TasksThatMeetBothRun<S, 2>, FailedStartupLeavesNothing<S>,
      FailedStartupLetsWaitersGoOn<S>, SubmitThatThrowsAcceptsNothing<S, 1>,
      SubmitThatThrowsAcceptsNothing<S, 2>, AcceptedRunsOrIsDropped<S, 1>,
      AcceptedRunsOrIsDropped<S, 1, 2>, AcceptedRunsOrIsDropped<S, 2>,
      AcceptedRunsOrIsDropped<S, 2, 2>, ChildIsRefusedOrDropped<S, 1>,
      ChildIsRefusedOrDropped<S, 2>, ShutdownNowJoinsAShutdown<S, 1>,
      ShutdownNowJoinsAShutdown<S, 2>, ShutdownNowJoinsTwoShutdowns<S, 1>,
      ShutdownNowJoinsTwoShutdowns<S, 2>, OneOfTwoShutdownNowsDrops<S, 1>,
      OneOfTwoShutdownNowsDrops<S, 2>, NextSessionIsNotDropped<S, 1>,
      NextSessionIsNotDropped<S, 2>, ShutdownWakesIdleWorkers<S, 1>,
      ShutdownWakesIdleWorkers<S, 2>>(argc, argv);
}

}  // namespace models
