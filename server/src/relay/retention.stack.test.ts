import { afterAll, beforeAll, expect, it } from 'vitest';
import { oldPartitions } from '../db/old-partitions.ts';
import { auditEventOf } from '../operations/audit/record-audit-event.ts';
import { createWorld, operator, type World } from '../operations/operations.fixture.ts';
import { createTestStorage, type TestStorage } from '../storage/storage.fixture.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { deleteOldRows } from './retention.ts';

let world: World;
let store: TestStorage;
beforeAll(async () => {
  [world, store] = await Promise.all([createWorld(), createTestStorage()]);
});
afterAll(async () => {
  await Promise.all([world?.close(), store?.drop()]);
});

it('the relay deletes audit events after their own retention, and counts them', async () => {
  const daysAgo = (days: number) => new Date(world.clock.now().getTime() - days * 24 * 60 * 60 * 1000);
  const eventOf = (days: number) => auditEventOf(operator, { action: 'engine.drained' }, daysAgo(days));
  const [kept, expired] = [eventOf(39), eventOf(41)];
  await world.db.auditEvents.insert([kept, expired]);
  const metrics = createMetrics();
  await deleteOldRows({
    ...world,
    storage: store.storage,
    metrics,
    partitions: oldPartitions(world.db.kysely),
    retention: { recordDays: 1, usageDays: 1 },
    idempotencyDays: 1,
    auditDays: 40,
  });
  const page = { after: null, limit: 10, order: 'asc', filter: {} } as const;
  expect((await world.db.auditLog.pageOfAll(null, page)).map(({ id }) => id)).toEqual([kept.id]);
  expect(await metrics.render()).toContain('kinora_expired_total{kind="audit_events"} 1');
});
