import { expect, it } from 'vitest';
import { oldPartitions } from '../db/connection/old-partitions.ts';
import { newId, uuidFromId } from '../domain/id.ts';
import { auditEventOf } from '../operations/audit/record-audit-event.ts';
import { operator, useWorld } from '../operations/operations.fixture.ts';
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
    taskId: newId('task', new Date(world.clock.now().getTime() - hours * 60 * 60 * 1000)),
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
