import {
  ActivityFailure,
  CancellationScope,
  continueAsNew,
  patched,
  proxyActivities,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { FinishActivities } from '../activities/finish-task.ts';
import type { EndActivities } from '../activities/give-up.ts';
import type { FollowActivities, GenerateActivities } from '../activities/render-task.ts';
import type { GenerateVideoInput, Step } from '../domain/step.ts';

// Temporal must not retry `generate`: `follow` takes over what a dead worker leaves behind, so that no job is submitted
// twice. The relay notices a dead worker within 15 s, at no cost per job. Heartbeats, one per minute, are for what it
// cannot see: a worker that dies before it begins an attempt. 3 h is longer than the longest attempt (2 h), which the
// activity itself ends.
const generateOptions = {
  startToCloseTimeout: '3h',
  heartbeatTimeout: '100s',
  retry: { maximumAttempts: 1 },
} as const;

// Retried until the attempt's deadline, which the activity checks: the task's row decides, not the number of tries.
const followOptions = {
  startToCloseTimeout: '3h',
  heartbeatTimeout: '100s',
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '10s' },
} as const;

// One try lasts at most ten minutes. 730 tries take at least six hours, for example while the store or Postgres is
// unavailable. Only tries count: the time in the media queue does not, because a backlog there says nothing about the
// task, and its video is already rendered.
const { finish } = proxyActivities<FinishActivities>({
  taskQueue: 'media',
  startToCloseTimeout: '10m',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '30s', maximumAttempts: 730 },
});

// `giveUp` is retried without limit, so that every path ends in a committed final status.
const { giveUp } = proxyActivities<EndActivities>({
  taskQueue: 'workflows',
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/**
 * Runs one task durably: `generate` on an engine's slot, then `finish` on the media queue. If `generate` ends without a
 * result, `follow` takes over; the activity that observes a failed attempt queues the task again. The workflow itself
 * never fails. Cancelling it is only a hint: a task that is not dispatched yet leaves the queue; otherwise the task's
 * row decides.
 */
export async function generateVideo({ taskId, pool, enter }: GenerateVideoInput): Promise<void> {
  let step: Step = enter ?? 'generate';
  let isFirstTry = enter !== 'follow' && workflowInfo().continuedFromExecutionRunId === undefined;
  let isCancelRequested = false;
  while (step !== 'ended') {
    // A task can go back into the queue any number of times, but Temporal ends a workflow with 51,200 events. The patch
    // lets this version replay a long history of an earlier one.
    if (step !== 'finish' && workflowInfo().continueAsNewSuggested && patched('continue-as-new'))
      await continueAsNew<typeof generateVideo>({ taskId, pool, enter: step });
    switch (step) {
      case 'generate': {
        // A retried task goes before those that were never tried.
        const { generate } = proxyActivities<GenerateActivities>({
          ...generateOptions,
          taskQueue: `render-${pool}`,
          priority: { priorityKey: isFirstTry ? 3 : 2 },
        });
        isFirstTry = false;
        const generating = isCancelRequested
          ? CancellationScope.nonCancellable(() => generate({ taskId }))
          : generate({ taskId });
        // After an end without a result (worker dead, shut down, cancelled), the row and the engine decide.
        step = await generating.catch((): Step => 'follow');
        isCancelRequested = isCancelRequested || CancellationScope.current().consideredCancelled;
        break;
      }
      case 'follow': {
        const { follow } = proxyActivities<FollowActivities>({ ...followOptions, taskQueue: `follow-${pool}` });
        step = await CancellationScope.nonCancellable(() => follow({ taskId })).catch((): Step => 'follow');
        break;
      }
      case 'finish':
        step = await CancellationScope.nonCancellable(() => finish({ taskId })).catch((error: unknown) =>
          isUsedUp(error) ? giveUpTask(taskId) : 'finish',
        );
        break;
    }
  }
}

function isUsedUp(error: unknown): boolean {
  // Workflows of an earlier version limited the time instead of the tries.
  return (
    error instanceof ActivityFailure &&
    (error.retryState === 'MAXIMUM_ATTEMPTS_REACHED' ||
      error.retryState === 'TIMEOUT' ||
      error.cause instanceof TimeoutFailure)
  );
}

/** Ends the task with a final status and a reason, as the last resort after all tries to finish it have failed. */
async function giveUpTask(taskId: string): Promise<Step> {
  await CancellationScope.nonCancellable(() => giveUp({ taskId }));
  return 'ended';
}
