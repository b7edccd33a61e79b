import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensurePartitions } from '../../db/connection/partitions.ts';
import { connectWithPlanCosts } from '../../db/connection/plan-costs.fixture.ts';
import { useTestDatabase } from '../../db/database.fixture.ts';
import { usageSumTable } from '../../db/records/usage-sum-table.ts';
import { strayId } from '../../domain/id.fixture.ts';
import { newId, newProjectId, uuidFromId } from '../../domain/id.ts';
import { sumUsage } from './sum-usage.ts';

const hourMilliseconds = 60 * 60 * 1000;
const dayMilliseconds = 24 * hourMilliseconds;
const startOfToday = new Date(Math.floor(Date.now() / dayMilliseconds) * dayMilliseconds);
const at = (days: number) => new Date(startOfToday.getTime() + days * dayMilliseconds);
const owner = { projectId: newProjectId(new Date()), livemode: true };
const keys = [strayId('key', new Date()), strayId('key', new Date())];
const waitLimitHours = 24;

const database = useTestDatabase(3);
let costs: ReturnType<typeof connectWithPlanCosts>;
beforeAll(async () => {
  costs = connectWithPlanCosts(database.url);
  for (const day of [-29, -14, 0]) await ensurePartitions(database.db.kysely, at(day));
  // The installation has existed for a month.
  await sql`update usage_summed set until = ${at(-29)}`.execute(database.db.kysely);
});
afterAll(async () => {
  await costs?.close();
});

/** Inserts rows of tasks that ended evenly over a time, each half an hour after its creation. */
async function seed({ count, from, to }: { count: number; from: Date; to: Date }): Promise<void> {
  const step = (to.getTime() - from.getTime()) / count;
  const salt = newId('req', new Date());
  await sql`
    insert into usage (task_id, project_id, livemode, key_id, model, status, code, engine_seconds, video_seconds, billable,
      waiting_seconds, rendering_seconds, created_at, completed_at)
    select (lpad(to_hex(floor(extract(epoch from at - interval '30 minutes') * 1000)::bigint), 12, '0') || '7'
        || substr(md5(${salt} || n), 1, 3) || '8' || substr(md5(${salt} || n), 4, 15))::uuid,
      ${uuidFromId('proj', owner.projectId)}, ${owner.livemode},
      case when n % 3 = 0 then ${uuidFromId('key', keys[0] ?? '')}::uuid else ${uuidFromId('key', keys[1] ?? '')}::uuid end,
      case when n % 5 = 0 then 'wan' else 'animatic' end,
      case when n % 7 = 0 then 'failed' when n % 11 = 0 then 'cancelled' else 'completed' end,
      case when n % 7 = 0 then 'engine_lost' end, n % 100, case when n % 7 = 0 or n % 11 = 0 then 0 else 5 end, true,
      (n::bigint * 7919) % 1000, case when n % 11 <> 0 then (n::bigint * 104729) % 300 end, at - interval '30 minutes', at
    from (
      select n, ${from}::timestamptz + n * ${step}::float8 * interval '1 millisecond' as at
      from generate_series(0, ${count - 1}::integer) n
    ) seeded`.execute(costs.kysely);
}

const ranges = [
  { bucket: 'day', start: at(-29), end: at(1) },
  { bucket: 'hour', start: at(-3), end: at(1) },
] as const;

/** Reads every kind of bucket and group over the whole time. */
async function readAll() {
  const found = [];
  for (const { bucket, start, end } of ranges)
    for (const groupBy of [null, 'model', 'key', 'code'] as const) {
      const query = { ...owner, bucket, groupBy, start, end, longestLifeSeconds: 8 * 24 * 3600, limit: 1e4 };
      found.push(await costs.measure(() => usageSumTable(costs.kysely).read(query)));
    }
  return found;
}

/** Returns what the rows say, without the sums. */
async function readRaw() {
  await sql`create temporary table kept as select * from usage_summed`.execute(costs.kysely);
  await sql`update usage_summed set until = 'epoch'`.execute(costs.kysely);
  const found = await readAll();
  await sql`update usage_summed set until = kept.until from kept`.execute(costs.kysely);
  await sql`drop table kept`.execute(costs.kysely);
  return found;
}

const round = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'number' ? Math.round(part * 1e6) / 1e6 : part));
const resultsOf = (found: Awaited<ReturnType<typeof readAll>>) => round(found.map(({ result }) => result));

describe('usage of a month with 10⁵ tasks', () => {
  it('the sums equal the rows, for every bucket and group, and reading them reads few pages', async () => {
    await seed({ count: 95_000, from: at(-29), to: at(-1) });
    // The day before yesterday is too quiet for sums of its hours.
    await sql`delete from usage where completed_at >= ${at(-2)} and completed_at < ${at(-1)} and waiting_seconds > 5`.execute(
      costs.kysely,
    );
    await seed({ count: 1_000, from: at(-1), to: new Date() });
    // As if they had been inserted when they ended.
    await sql`truncate late_usage`.execute(costs.kysely);
    await sql`vacuum analyze usage`.execute(costs.kysely);
    const raw = await readRaw();
    await sumUsage({ db: database.db, waitLimitHours });
    await sql`vacuum analyze usage_sums`.execute(costs.kysely);
    const summed = await readAll();
    expect(resultsOf(summed)).toEqual(resultsOf(raw));
    expect(raw[0]?.pages).toBeGreaterThan(1_000);
    for (const { pages } of summed) expect(pages).toBeLessThan(500);
  });

  it('another round changes nothing', async () => {
    const sums = () => sql`select * from usage_sums order by 1, 2, 3, 4, 5, 6`.execute(database.db.kysely);
    const before = await sums();
    await sumUsage({ db: database.db, waitLimitHours });
    expect((await sums()).rows).toEqual(before.rows);
  });

  it('rows that come in late are counted once, also if two relays sum at a time', async () => {
    await seed({ count: 500, from: at(-20), to: at(-19.5) });
    await seed({ count: 10, from: at(-2), to: at(-1.9) });
    expect(resultsOf(await readAll())).not.toEqual(resultsOf(await readRaw()));
    await Promise.all([1, 2].map(() => sumUsage({ db: database.db, waitLimitHours })));
    expect(resultsOf(await readAll())).toEqual(resultsOf(await readRaw()));
    const left = await sql`select 1 from late_usage`.execute(database.db.kysely);
    expect(left.rows).toEqual([]);
  });

  it('the sums of days before the retention are deleted', async () => {
    while ((await database.db.usageSums.deleteOlderThan(at(-10), 100)) > 0);
    const left = await sql<{ first: Date }>`select min(start) as first from usage_sums`.execute(database.db.kysely);
    expect(left.rows).toEqual([{ first: at(-10) }]);
  });

  it('the hours of a quiet day have no sums', async () => {
    const days = await sql<{ start: Date; tasks: number; hours: number }>`
      select start, tasks, (
        select count(*)::integer from usage_sums hours where bucket = 'hour' and group_by = 'none'
          and hours.start >= days.start and hours.start < days.start + interval '1 day'
      ) as hours
      from usage_sums days where bucket = 'day' and group_by = 'none'`.execute(database.db.kysely);
    const quiet = days.rows.filter(({ tasks }) => tasks < 200);
    expect(quiet.map(({ start, hours }) => ({ start, hours }))).toEqual([{ start: at(-2), hours: 0 }]);
  });
});
