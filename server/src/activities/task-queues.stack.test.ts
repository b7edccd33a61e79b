import { tsToMs } from '@temporalio/common/lib/time.js';
import type { WorkerOptions } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../domain/clock.ts';
import type { Step } from '../domain/step.ts';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { useTemporalWorkers } from '../workflows/temporal-workers.fixture.ts';
import { createTaskQueues } from './task-queues.ts';
import { whileAlive } from './while-alive.ts';

const temporal = useTemporalWorkers();

const generate = async (): Promise<Step> => 'ended';

function newQueues(created: WorkerOptions[] = []) {
  return createTaskQueues((options) => {
    created.push(options);
    return temporal.createWorker(options);
  });
}

describe('the queues of a worker', () => {
  it('queues take work of a pool that was added while they ran, and end together', async () => {
    const queues = newQueues();
    queues.add({ taskQueue: 'workflows', workflowBundle: await openWorkflowBundle() });
    await queues.started();
    const run = await temporal.startTask({ taskId: 'task_of_a_new_pool', pool: 'new' });
    queues.add({ taskQueue: 'render-new', activities: { generate } });
    await run.result();
    queues.shutdown();
    await expect(queues.ended).resolves.toBeUndefined();
  });

  it('Temporal gets heartbeats of a job, which are held back for far less than their time limit', async () => {
    const created: WorkerOptions[] = [];
    const queues = newQueues(created);
    const { promise: isOver, resolve: end } = Promise.withResolvers<Step>();
    queues.add(
      { taskQueue: 'workflows', workflowBundle: await openWorkflowBundle() },
      { taskQueue: 'render-alive', activities: { generate: () => whileAlive({ clock: systemClock }, () => isOver) } },
    );
    const run = await temporal.startTask({ taskId: 'task_with_heartbeats', pool: 'alive' });
    const beganAt = async () => {
      const [generating] = (await run.describe()).raw.pendingActivities ?? [];
      const { lastHeartbeatTime, lastStartedTime } = generating ?? {};
      return lastHeartbeatTime && lastStartedTime && tsToMs(lastHeartbeatTime) > tsToMs(lastStartedTime);
    };
    await expect.poll(beganAt, { interval: 500 }).toBe(true);
    end('ended');
    await run.result();
    queues.shutdown();
    await queues.ended;
    // By default, heartbeats are held back for four fifths of their time limit.
    const short = { maxHeartbeatThrottleInterval: '3s', defaultHeartbeatThrottleInterval: '3s' };
    expect(created).toMatchObject([short, short]);
  });

  it('queues shut down cleanly while they are still starting', async () => {
    const queues = newQueues();
    queues.add({ taskQueue: 'render-early', activities: { generate } });
    queues.shutdown();
    queues.add({ taskQueue: 'render-late', activities: { generate } });
    await expect(queues.ended).resolves.toBeUndefined();
  });

  it('queues end with the first one that cannot start', async () => {
    const queues = createTaskQueues(() => Promise.reject(new Error('no such namespace')));
    queues.add({ taskQueue: 'render-new', activities: { generate } });
    await expect(queues.ended).rejects.toThrow('no such namespace');
  });
});
