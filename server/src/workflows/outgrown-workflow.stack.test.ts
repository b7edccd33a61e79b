import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { workflowFailureErrorTypes } from '../activities/workers.ts';
import { useWorldPerTest } from '../operations/operations.fixture.ts';
import { workerIdentity } from '../operations/queue/worker-identity.ts';
import { type Finding, reconcile } from '../operations/upkeep/reconcile.ts';
import { relayOutbox } from '../relay/outbox-relay.ts';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';
import { useTemporalWorkers } from './temporal-workers.fixture.ts';

const temporal = useTemporalWorkers();
const world = useWorldPerTest();
const silenceSeconds = 60;

const present = { identity: workerIdentity('6.0.0', 'a process'), workflowBundle: await openWorkflowBundle() };
const changed = {
  identity: workerIdentity('7.0.0', 'a process'),
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('changed-workflows.fixture.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  }),
};

function serve(version: typeof present | typeof changed): Promise<() => Promise<void>> {
  return temporal.runWorkers({
    taskQueue: 'workflows',
    workflowFailureErrorTypes,
    maxCachedWorkflows: 0, // so that Temporal does not wait for a worker that is gone
    ...version,
  });
}

async function round(): Promise<Finding[]> {
  await world.moveClock(silenceSeconds + 1);
  const workflows = temporal.workflowsFor(world.db, world.log);
  const parts = { ...world, workflows, waitLimitHours: 24, silenceSeconds };
  const { findings } = await reconcile(parts, { isDryRun: false });
  await world.moveClock(1);
  await relayOutbox({ ...world, workflows });
  return findings;
}

const pendingActivities = async (taskId: string) =>
  (await temporal.client.workflow.getHandle(taskId).describe()).raw.pendingActivities?.length ?? 0;

describe('an outgrown workflow', () => {
  it('a workflow that does not fit its version ends at once and goes on from the row, as often as need be, and each time the version is named', async () => {
    const pool = `test-${randomBytes(4).toString('hex')}`;
    const task = await world.accept(await world.newProject());
    await sql`delete from outbox`.execute(world.db.kysely);
    await temporal.startTask({ taskId: task.id, pool });
    for (let count = 1; count <= 3; count += 1) {
      const stopPresent = await serve(present);
      await expect.poll(() => pendingActivities(task.id)).toBe(1);
      await stopPresent();
      const handle = temporal.client.workflow.getHandle(task.id);
      await handle.cancel(); // so that the workflow has something to decide
      const stopChanged = await serve(changed);
      await expect.poll(async () => (await handle.describe()).status.name).toBe('FAILED');
      await stopChanged();
      expect(await round()).toEqual([{ kind: 'outgrown', taskId: task.id, version: '7.0.0' }]);
      expect(await temporal.inputOf(task.id)).toMatchObject({ taskId: task.id, enter: 'generate' });
      expect((await handle.describe()).status.name).toBe('RUNNING');
    }
    expect(await world.db.tasks.find(task.id)).toMatchObject({ status: 'queued', counters: { restarts: 0 } });
  });
});
