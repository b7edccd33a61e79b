import type { Worker, WorkerOptions } from '@temporalio/worker';
import type { LockSession } from '../db/connection/lock-session.ts';
import type { Database } from '../db/database.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Clock } from '../domain/clock.ts';
import { mediaLimits } from '../domain/limits.ts';
import type { Registry } from '../engines/registry.ts';
import type { Live } from '../live/live.ts';
import type { Images } from '../media/images.ts';
import type { Video } from '../media/video.ts';
import type { WorkflowClient } from '../operations/queue/workflow-client.ts';
import type { Storage } from '../storage/storage.ts';
import type { Log } from '../telemetry/log.ts';
import { createTryDelivery, deliverActivities, type WebhookParts } from './deliver-activities.ts';
import { deliverFirst } from './deliver-first.ts';
import { createEngineUses } from './engine-uses.ts';
import { createFinishHere } from './finish-here.ts';
import { finishActivities } from './finish-task.ts';
import { followRegistry } from './follow-registry.ts';
import { giveUpActivities } from './give-up.ts';
import { followActivities, generateActivities } from './render-task.ts';
import type { Permit, SlotBoard } from './slot-board.ts';
import { createTaskQueues, type QueueOptions } from './task-queues.ts';
import { createTaskWatch } from './task-watch.ts';
import type { MeasuredSpeeds } from './watchdog.ts';

/** A worker that dies may leave thousands of jobs, which cost two polls per second each: 4,000 bound them to 8,000. */
const followsAtOnce = 4_000;
/** Each heartbeat is a write of Temporal's, and running jobs may be many and long. */
const oncePerMinute = { maxHeartbeatThrottleInterval: '60s', defaultHeartbeatThrottleInterval: '60s' } as const;
const workflowTasksAtOnce = 40;
/** 500: a try mostly waits for the receiver's server. */
const deliveriesAtOnce = 500;

export interface ServeDependencies {
  db: Database;
  catalogue: () => Catalogue;
  storage: Storage;
  workflows: WorkflowClient;
  images: Images;
  video: Video;
  live: Live;
  registry: Registry;
  processId: string;
  clock: Clock;
  log: Log;
  withScratch: <T>(work: (folder: string) => Promise<T>) => Promise<T>;
  holdLock: LockSession['hold'];
  webhooks: WebhookParts;
  workflowBundle: NonNullable<WorkerOptions['workflowBundle']>;
  mediaConcurrency: number;
  attemptLimitSeconds: number;
  stallSeconds: number;
  speeds: MeasuredSpeeds;
}

/** Serves every queue of a worker process until it is told to close. */
export async function serveQueues(
  given: ServeDependencies,
  createWorker: (options: QueueOptions) => Promise<Worker>,
  closing: AbortSignal,
): Promise<void> {
  const { workflowBundle, webhooks, log } = given;
  const tryDelivery = createTryDelivery({ ...given, ...webhooks });
  const first = deliverFirst({ ...given, tryDelivery, tryMilliseconds: webhooks.tryMilliseconds });
  const dependencies = { ...given, workflows: first.workflows };
  const queues = createTaskQueues(createWorker);
  closing.addEventListener('abort', queues.shutdown, { once: true });
  if (closing.aborted) queues.shutdown();

  const watch = createTaskWatch(dependencies);
  const engineUses = createEngineUses();
  const finishHere = createFinishHere(dependencies, mediaLimits(dependencies.mediaConcurrency));
  const endpoints = followRegistry({ ...dependencies, engineUses }, (pool, board) => {
    const maintainEndpoint = (id: string): void => endpoints.maintainEndpoint(id);
    const parts = { ...dependencies, board, watch, engineUses, maintainEndpoint };
    queues.add(
      {
        ...oncePerMinute,
        taskQueue: `render-${pool}`,
        activities: generateActivities({ ...parts, finishHere }),
        tuner: slotTuner(board),
      },
      {
        ...oncePerMinute,
        taskQueue: `follow-${pool}`,
        activities: followActivities(parts),
        maxConcurrentActivityTaskExecutions: followsAtOnce,
      },
    );
    log.info({ event: 'pool.polling', pool }, 'polling for work of a pool');
  });
  queues.add(
    {
      taskQueue: 'workflows',
      workflowBundle,
      maxConcurrentWorkflowTaskExecutions: workflowTasksAtOnce,
      activities: giveUpActivities(dependencies),
    },
    {
      taskQueue: 'media',
      activities: finishActivities(dependencies),
      maxConcurrentActivityTaskExecutions: dependencies.mediaConcurrency,
    },
    {
      // Workflow and activity share one queue: Temporal can then start a try together with the decision to make it.
      taskQueue: 'webhooks',
      workflowBundle,
      maxConcurrentWorkflowTaskExecutions: workflowTasksAtOnce,
      activities: deliverActivities(tryDelivery),
      maxConcurrentActivityTaskExecutions: deliveriesAtOnce,
    },
  );
  await queues.started();
  log.info({ event: 'worker.polling' }, 'polling for work');
  await queues.ended;
  await endpoints.close();
  await first.close();
  watch.close();
}

/** Polls for work only while the board promises a slot, so that the fair order holds up to the engine. */
export function slotTuner(board: SlotBoard): NonNullable<WorkerOptions['tuner']> {
  const unused = { type: 'fixed-size', numSlots: 1 } as const;
  return {
    workflowTaskSlotSupplier: { type: 'fixed-size', numSlots: 2 },
    localActivityTaskSlotSupplier: unused,
    nexusTaskSlotSupplier: unused,
    activityTaskSlotSupplier: {
      type: 'custom',
      reserveSlot: (_context, signal): Promise<Permit> => board.reserve(signal),
      tryReserveSlot: () => board.tryReserve(),
      // The SDK passes back the same objects that reserveSlot and tryReserveSlot returned.
      markSlotUsed: ({ permit }) => board.use(permit as Permit),
      releaseSlot: ({ permit }) => board.release(permit as Permit),
    },
  };
}
