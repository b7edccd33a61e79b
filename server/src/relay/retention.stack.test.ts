import { expect, it } from 'vitest';
import { plainProcess } from '../db/attempts/process.fixture.ts';
import type { ProcessReport } from '../db/attempts/process-table.ts';
import { oldPartitions } from '../db/connection/old-partitions.ts';
import { strayId } from '../domain/id.fixture.ts';
import { uuidFromId } from '../domain/id.ts';
import { auditEventOf } from '../operations/audit/record-audit-event.ts';
import { beginOrThrow, operator, useWorld } from '../operations/operations.fixture.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import { deleteOldRows, type RetentionParts } from './retention.ts';

const world = useWorld();
const store = useTestStorage();

function partsWith(metrics: Metrics): RetentionParts {
  return {
    ...world,
    storage: store.storage,
    metrics,
    partitions: oldPartitions(world.db.kysely),
    retention: { recordDays: 1, usageDays: 1 },
    idempotencyDays: 1,
    auditDays: 40,
    waitLimitHours: 24,
  };
}

it('progress is kept until its task has ended a day ago at the latest, and deleted round by round', async () => {
  const entryOf = (hours: number) => ({
    taskId: strayId('task', new Date(world.clock.now().getTime() - hours * 60 * 60 * 1000)),
    attempt: 1,
    stage: 'rendering' as const,
    progress: 1,
    progressSource: 'engine' as const,
  });
  // More than a statement with a parameter per value could write.
  const old = Array.from({ length: 41_000 }, () => entryOf(73));
  const young = entryOf(71);
  await world.db.liveEntries.write([...old, young], world.clock.now());
  const count = async () =>
    (await world.db.kysely.selectFrom('live_entries').select('task_id').execute()).map(({ task_id }) => task_id);
  await deleteOldRows(partsWith(createMetrics()));
  expect(await count()).toHaveLength(1_001);
  await deleteOldRows(partsWith(createMetrics()));
  expect(await count()).toEqual([uuidFromId('task', young.taskId)]);
});

it('the relay deletes audit events after their own retention, and counts them', async () => {
  const daysAgo = (days: number) => new Date(world.clock.now().getTime() - days * 24 * 60 * 60 * 1000);
  const eventOf = (days: number) => auditEventOf(operator, { action: 'engine.drained' }, daysAgo(days));
  const [kept, expired] = [eventOf(39), eventOf(41)];
  await world.db.auditEvents.insert([kept, expired]);
  const metrics = createMetrics();
  await deleteOldRows(partsWith(metrics));
  const page = { after: null, limit: 10, order: 'asc', filter: {} } as const;
  expect((await world.db.auditLog.pageOfAll(null, page)).map(({ id }) => id)).toEqual([kept.id]);
  expect(await metrics.render()).toContain('kinora_expired_total{kind="audit_events"} 1');
});

it('the rows of endpoints that left are deleted after a day, except while a job may run there', async () => {
  const { db, clock } = world;
  const status = { pool: 'test', slots: 1, isAccepting: true, reason: null, engine: null, version: null, models: null };
  const place = { endpointId: 'left, with a job', slot: 0 };
  const busy = await beginOrThrow(world, await world.accept(await world.newProject()), place);
  const endpoints = ['known', 'left', place.endpointId];
  for (const id of endpoints) {
    await db.leases.ensureSlots(id, 2);
    await db.endpointStates.recordStatus(id, { ...status, latencyMilliseconds: 1 }, clock.now());
    const job = { endpoint_id: id, operation: '{}', task_id: uuidFromId('task', busy.task.id) ?? '', attempt: 1 };
    await db.kysely
      .insertInto('engine_jobs')
      .values({ ...job, named_at: clock.now() })
      .execute();
  }
  const kept = async () => {
    await deleteOldRows(partsWith(createMetrics()));
    const of = async (table: 'endpoint_states' | 'leases' | 'engine_jobs') =>
      db.kysely.selectFrom(table).select('endpoint_id').distinct().orderBy('endpoint_id').execute();
    const rows = await Promise.all([of('endpoint_states'), of('leases'), of('engine_jobs')]);
    const [states, ...others] = rows.map((found) => found.map(({ endpoint_id }) => endpoint_id));
    expect(others).toEqual([states, states]);
    return states;
  };
  const report = (change: Partial<ProcessReport>) =>
    db.processes.report(plainProcess({ endpoints: ['known'], ...change }));

  await report({});
  expect(await kept()).toEqual(endpoints); // seen within the last day
  await world.moveClock(25 * 60 * 60);
  await report({ roles: ['relay'] });
  expect(await kept()).toEqual(endpoints); // no worker lives
  await report({ endpoints });
  expect(await kept()).toEqual(endpoints); // a worker knows them all
  await world.moveClock(61);
  await report({});
  expect(await kept()).toEqual(['known', place.endpointId]);
  await db.leases.free(place.endpointId, 0, busy.attempt.fencing);
  expect(await kept()).toEqual(['known']);
});
