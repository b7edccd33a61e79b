import { ActivityFailure, CancellationScope, proxyActivities, TimeoutFailure } from '@temporalio/workflow';
import type { FinishActivities } from '../activities/finish-task.ts';
import type { EndActivities } from '../activities/give-up.ts';
import type { FollowActivities, GenerateActivities } from '../activities/render-task.ts';
import type { GenerateVideoInput, Step } from '../domain/step.ts';

// One attempt only: what a dead worker leaves behind is for `follow`, never for a second submit. 15 s of silence is a dead
// worker: it reports every two seconds. 3 h lies beyond the longest attempt (2 h), which the activity itself ends.
const generateOptions = {
  startToCloseTimeout: '3h',
  heartbeatTimeout: '15s',
  retry: { maximumAttempts: 1 },
} as const;

// Retried until the attempt's deadline, which it checks itself: the task's row decides, not the number of tries.
const followOptions = {
  startToCloseTimeout: '3h',
  heartbeatTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '10s' },
} as const;

// One try lasts ten minutes; repeated for six hours while the store or Postgres is away.
const { finish } = proxyActivities<FinishActivities>({
  taskQueue: 'media',
  startToCloseTimeout: '10m',
  heartbeatTimeout: '30s',
  scheduleToCloseTimeout: '6h',
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '30s' },
});

// Retried without limit: every path ends in a committed final status.
const { giveUp } = proxyActivities<EndActivities>({
  taskQueue: 'workflows',
  startToCloseTimeout: '1m',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/**
 * The durable way of one task: generate on an engine's slot, then finish on the media queue. A generate that ends without a
 * result is followed up; an attempt that came to nothing is queued again by the activity that saw it. The workflow itself never
 * fails, and a cancel of it is only a hint: what is not yet dispatched leaves the queue, the task's row decides the rest.
 */
export async function generateVideo({ taskId, pool, enter }: GenerateVideoInput): Promise<void> {
  let step: Step = enter ?? 'generate';
  let isFirstTry = enter !== 'follow';
  let isHintTaken = false;
  while (step !== 'ended') {
    switch (step) {
      case 'generate': {
        // A task that is tried again goes before those that were never tried.
        const { generate } = proxyActivities<GenerateActivities>({
          ...generateOptions,
          taskQueue: `render-${pool}`,
          priority: { priorityKey: isFirstTry ? 3 : 2 },
        });
        isFirstTry = false;
        const generating = isHintTaken
          ? CancellationScope.nonCancellable(() => generate({ taskId }))
          : generate({ taskId });
        // Any end without a result (worker dead, shut down, cancelled): the row and the engine say how to go on.
        step = await generating.catch((): Step => 'follow');
        isHintTaken = isHintTaken || CancellationScope.current().consideredCancelled;
        break;
      }
      case 'follow': {
        const { follow } = proxyActivities<FollowActivities>({ ...followOptions, taskQueue: `follow-${pool}` });
        step = await CancellationScope.nonCancellable(() => follow({ taskId })).catch((): Step => 'follow');
        break;
      }
      case 'finish':
        step = await CancellationScope.nonCancellable(() => finish({ taskId })).catch((error: unknown) =>
          hasUsedUpItsTime(error) ? handOver(taskId) : 'finish',
        );
        break;
    }
  }
}

function hasUsedUpItsTime(error: unknown): boolean {
  // Mostly the time runs out between two tries; then the cause is what the last try failed with.
  return error instanceof ActivityFailure && (error.retryState === 'TIMEOUT' || error.cause instanceof TimeoutFailure);
}

/** The last resort, when finishing used up all its time: a final status with a reason. */
async function handOver(taskId: string): Promise<Step> {
  await CancellationScope.nonCancellable(() => giveUp({ taskId }));
  return 'ended';
}
