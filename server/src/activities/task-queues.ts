import type { Worker, WorkerOptions } from '@temporalio/worker';

export type QueueOptions = Omit<WorkerOptions, 'connection' | 'namespace'>;

/** By default the SDK holds heartbeats back for 80 % of their limit, which leaves little time for an outage of Temporal. */
const heartbeats = { maxHeartbeatThrottleInterval: '3s', defaultHeartbeatThrottleInterval: '3s' } as const;

/** Runs one Temporal worker per queue. Queues may be added later; all end together, or with the first that fails. */
export function createTaskQueues(create: (options: QueueOptions) => Promise<Worker>) {
  const all: Promise<{ worker: Worker; run: Promise<void> }>[] = [];
  const ending = Promise.withResolvers<void>();
  ending.promise.catch(() => undefined); // `ended` reports it, but has no listener yet while the queues start
  let isShutDown = false;
  const stop = (worker: Worker): void => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const start = async (options: QueueOptions) => {
    const worker = await create({ ...heartbeats, ...options });
    const run = worker.run();
    run.catch(ending.reject);
    if (isShutDown) stop(worker);
    return { worker, run };
  };
  return {
    add: (...queues: QueueOptions[]): void => {
      if (isShutDown) return;
      for (const options of queues) {
        const starting = start(options);
        starting.catch(ending.reject);
        all.push(starting);
      }
    },
    started: async (): Promise<void> => {
      await Promise.all(all);
    },
    shutdown: (): void => {
      isShutDown = true;
      const stopped = all.map(async (starting) => {
        const { worker, run } = await starting;
        stop(worker);
        await run;
      });
      Promise.all(stopped).then(() => ending.resolve(), ending.reject);
    },
    ended: ending.promise,
  };
}
