import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createMetrics } from '../../telemetry/metrics.ts';
import { useTestDatabase } from '../database.fixture.ts';

const database = useTestDatabase(2);

it('the slots of an endpoint count only while a worker probes it', async () => {
  const { leases, endpointStates } = database.db;
  const status = { pool: 'p', slots: 2, isAccepting: true, reason: null, engine: null, version: null, models: null };
  const probe = (id: string, at: Date) => endpointStates.recordStatus(id, { ...status, latencyMilliseconds: 1 }, at);
  const now = new Date();
  for (const id of ['removed', 'current']) {
    await leases.ensureSlots(id, 2);
    await probe(id, now);
  }
  await leases.ensureSlots('never-probed', 2);
  const current = { endpointId: 'current', slots: 2, leased: 0 };
  const before = await leases.countLeased('seen');
  expect(before).toEqual(expect.arrayContaining([current, { ...current, endpointId: 'removed' }]));
  expect(before).toHaveLength(2);
  await sql`update endpoint_states set seen_at = now() - interval '31 seconds'`.execute(database.db.kysely);
  await probe('current', now);
  const after = await leases.countLeased('seen');
  expect(after).toEqual([current]);
  expect(await leases.countLeased('all')).toHaveLength(2);

  const metrics = createMetrics();
  metrics.slots(before);
  metrics.slots(after);
  const text = await metrics.render();
  expect(text).toContain('kinora_endpoint_slots{endpoint="current",state="free"} 2');
  expect(text).toContain('kinora_endpoint_slots{endpoint="removed",state="free"} 0');
  await metrics.close();
});
