import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { plainProcess } from '../db/attempts/process.fixture.ts';
import type { Step } from '../domain/step.ts';
import { beginAttempt } from '../operations/attempts/begin-attempt.ts';
import { followGoneWorkers } from '../operations/attempts/follow-gone-workers.ts';
import { newPlace, useWorldPerTest } from '../operations/operations.fixture.ts';
import { workerIdentity } from '../operations/queue/worker-identity.ts';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { useTemporalWorkers } from './temporal-workers.fixture.ts';

const temporal = useTemporalWorkers();
const world = useWorldPerTest();

it('tasks of a worker that has been silent for 14 s are followed by others, and those of a worker that lives are not', async () => {
  const [silent, living] = [plainProcess(), plainProcess()];
  const followed: string[] = [];
  const over = Promise.withResolvers<Step>();
  const generate = () => over.promise;
  const follow = async ({ taskId }: { taskId: string }): Promise<Step> => {
    followed.push(taskId);
    return 'ended';
  };
  /** Starts a task's activity, which then lasts, in this worker. It has begun an attempt, unless it dies before. */
  const render = async ({ id: processId }: { id: string }, hasBegun: boolean) => {
    const pool = `test-${randomBytes(4).toString('hex')}`;
    const stop = await temporal.runWorkers(
      { identity: workerIdentity('1.0.0', processId), taskQueue: `render-${pool}`, activities: { generate } },
      { taskQueue: `follow-${pool}`, activities: { follow } },
    );
    const task = await world.accept(await world.newProject());
    const place = newPlace();
    await world.db.leases.ensureSlots(place.endpointId, 1);
    if (hasBegun) await beginAttempt({ ...world, processId }, task, { ...place, operationFor: () => null });
    const handle = await temporal.startTask({ taskId: task.id, pool });
    await expect.poll(async () => (await handle.describe()).raw.pendingActivities?.[0]?.state).toBe(2);
    return { taskId: task.id, handle, stop };
  };
  const stopWorkflows = await temporal.runWorkers({
    taskQueue: 'workflows',
    workflowBundle: await openWorkflowBundle(),
  });
  const [left, unbegun, kept] = [await render(silent, true), await render(silent, false), await render(living, true)];
  let seconds = 0;
  const clock = { ...world.clock, elapsed: () => seconds * 1000 };
  const workflows = temporal.workflowsFor(world.db, world.log);
  const look = followGoneWorkers({ ...world, workflows, clock });
  await world.db.processes.report(silent);
  await world.db.processes.report(living);
  for (seconds = 0; seconds < 14; seconds += 1) {
    await look();
    await world.moveClock(1);
    await world.db.processes.sign(living.id);
  }
  await look();
  await Promise.all([left.handle.result(), unbegun.handle.result()]);
  expect(followed.toSorted()).toEqual([left.taskId, unbegun.taskId].toSorted());
  expect((await kept.handle.describe()).raw.pendingActivities).toMatchObject([{ state: 2 }]);
  over.resolve('ended');
  await kept.handle.result();
  await Promise.all([left.stop(), unbegun.stop(), kept.stop(), stopWorkflows()]);
});
