import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import type { Worker, WorkerOptions } from '@temporalio/worker';
import type { Process, Scheduler } from '../scheduler.ts';
import { millisecondsOf } from './duration.ts';
import type { ActivityTask, Outcome, SimulatedTemporal } from './server.ts';

/** The part of a slot supplier that a worker of one activity queue uses. */
interface Slots {
  reserveSlot(context: unknown, signal: AbortSignal): Promise<object>;
  markSlotUsed(context: { permit: object }): void;
  releaseSlot(context: { permit: object }): void;
}

type Activity = (input: unknown) => Promise<unknown>;

/** How many activities of a queue a worker runs at once, if nothing else says how many. */
const activitiesAtOnce = 4;
/** How long after a report that did not arrive the worker sends it again. */
const reportAgainMilliseconds = 200;

/** Serves one queue as a worker of the SDK does: it polls only while it has a free slot, and reports how each try ended. */
export function createSimulatedWorker(
  {
    scheduler,
    temporal,
    process,
    identity,
  }: { scheduler: Scheduler; temporal: SimulatedTemporal; process: Process; identity: string },
  options: Omit<WorkerOptions, 'connection' | 'namespace'>,
): Worker {
  const clock = scheduler.clockOf(process);
  const activities = (options.activities ?? {}) as Record<string, Activity>;
  const closing = new AbortController();
  const ended = Promise.withResolvers<void>();
  const running = new Set<Promise<void>>();
  const slots = slotsOf(options);
  let state: 'INITIALIZED' | 'RUNNING' | 'STOPPED' = 'INITIALIZED';

  const poll = async (): Promise<void> => {
    for (;;) {
      const permit = await slots.reserveSlot({}, closing.signal).catch(() => null);
      if (permit === null || closing.signal.aborted) return;
      const task = await new Promise<ActivityTask | null>((resolve) => {
        const stop = temporal.poll({ process, identity, queue: options.taskQueue, take: resolve });
        closing.signal.addEventListener('abort', () => (stop(), resolve(null)), { once: true });
      });
      if (task === null) return slots.releaseSlot({ permit });
      slots.markSlotUsed({ permit });
      const trying = run(task).finally(() => {
        slots.releaseSlot({ permit });
        running.delete(trying);
      });
      running.add(trying);
    }
  };

  const run = async (task: ActivityTask): Promise<void> => {
    const { token } = task;
    const stopping = new AbortController();
    const stop = (): void => stopping.abort(new CancelledFailure('the activity was cancelled'));
    if (closing.signal.aborted) stop();
    closing.signal.addEventListener('abort', stop, { once: true });
    const heartbeat = (): void => {
      if (temporal.heartbeat(task, token)) stop();
    };
    const context = {
      cancellationSignal: stopping.signal,
      heartbeat,
      info: {
        attempt: task.attempt,
        heartbeatTimeoutMs: millisecondsOf(task.options.heartbeatTimeout) ?? undefined,
        workflowExecution: { runId: task.run.runId },
      },
    } as unknown as Context;
    const activity = activities[task.type];
    if (!activity) throw new Error(`no activity ${task.type} on ${task.queue}`);
    const outcome = await asyncLocalStorage
      .run(context, () => activity(task.input))
      .then(
        (result): Outcome => ({ kind: 'completed', result }),
        (error: unknown): Outcome =>
          stopping.signal.aborted && isCancellation(error) ? { kind: 'cancelled' } : { kind: 'failed', error },
      );
    closing.signal.removeEventListener('abort', stop);
    const what = `${task.type} ${JSON.stringify(task.input)} ${describe(outcome)}`;
    for (let isReported = false; !isReported; ) {
      isReported = await scheduler
        .call(
          process,
          `temporal report ${what}`,
          () => temporal.report(task, token, outcome),
          () => temporal.isUp,
        )
        .then(
          () => true,
          () => clock.wait(reportAgainMilliseconds).then(() => false),
        );
    }
  };

  const worker = {
    getState: () => state,
    shutdown: () => closing.abort(),
    run: async () => {
      state = 'RUNNING';
      const polling = poll();
      closing.signal.addEventListener('abort', () => ended.resolve(), { once: true });
      await ended.promise;
      await polling;
      await Promise.all(running);
      state = 'STOPPED';
    },
  };
  return worker as unknown as Worker;
}

function slotsOf(options: { tuner?: unknown; maxConcurrentActivityTaskExecutions?: number }): Slots {
  const { tuner } = options as { tuner?: { activityTaskSlotSupplier: Slots } };
  if (tuner) return tuner.activityTaskSlotSupplier;
  let free = Math.min(activitiesAtOnce, options.maxConcurrentActivityTaskExecutions ?? activitiesAtOnce);
  let waiting: (() => void)[] = [];
  return {
    reserveSlot: async (_context, signal) => {
      while (free === 0) {
        signal.throwIfAborted();
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      free -= 1;
      return {};
    },
    markSlotUsed: () => undefined,
    releaseSlot: () => {
      free += 1;
      const woken = waiting;
      waiting = [];
      for (const resume of woken) resume();
    },
  };
}

function isCancellation(error: unknown): boolean {
  return error instanceof CancelledFailure || (error instanceof Error && error.name === 'AbortError');
}

function describe(outcome: Outcome): string {
  if (outcome.kind === 'completed') return JSON.stringify(outcome.result) ?? '';
  return outcome.kind === 'failed' ? `failed: ${String(outcome.error)}` : 'cancelled';
}
