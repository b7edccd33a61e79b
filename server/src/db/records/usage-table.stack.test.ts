import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { strayId } from '../../domain/id.fixture.ts';
import { newProjectId, uuidFromId } from '../../domain/id.ts';
import { ensurePartitions } from '../connection/partitions.ts';
import type { UsageRow } from '../connection/schema.ts';
import { useTestDatabase } from '../database.fixture.ts';
import type { Percentiles } from './usage-sum-table.ts';

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;
/** Today's midnight in UTC: all rows are of this day or later, so there are partitions for them. */
const firstDay = new Date(Math.floor(Date.now() / 1000 / daySeconds) * daySeconds * 1000);
const at = (seconds: number) => new Date(firstDay.getTime() + seconds * 1000);

const database = useTestDatabase(3);
beforeAll(async () => {
  await ensurePartitions(database.db.kysely, at(20 * daySeconds));
});

const project = newProjectId(new Date());
const keys = [strayId('key', new Date()), strayId('key', new Date())] as const;
const longestLifeSeconds = 8 * daySeconds;

/** A reproducible sequence of numbers from 0 to 1. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function rowsOf(count: number): UsageRow[] {
  const next = sequence(7);
  return Array.from({ length: count }, () => {
    const createdAt = at(next() * 9 * daySeconds);
    const waiting = next() ** 3 * 2 * daySeconds;
    const rendering = next() < 0.1 ? null : 5 + next() * 300;
    const chance = next();
    const status = rendering === null || chance < 0.1 ? 'cancelled' : chance < 0.25 ? 'failed' : 'completed';
    return {
      task_id: uuidFromId('task', strayId('task', createdAt)) ?? '',
      project_id: uuidFromId('proj', project) ?? '',
      livemode: next() < 0.8,
      key_id: uuidFromId('key', next() < 0.5 ? keys[0] : keys[1]) ?? '',
      model: next() < 0.7 ? 'animatic' : 'wan-2.2',
      status,
      code: status === 'failed' ? (next() < 0.5 ? 'engine_lost' : 'engine_crashed') : null,
      engine_seconds: rendering ?? 0,
      video_seconds: status === 'completed' ? 5 : 0,
      billable: status === 'completed',
      waiting_seconds: waiting,
      rendering_seconds: rendering,
      created_at: createdAt,
      completed_at: new Date(createdAt.getTime() + (waiting + (rendering ?? 0)) * 1000),
    };
  });
}

/** The percentile by linear interpolation between the two nearest ranks. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = share * (sorted.length - 1);
  const [low = 0, high = 0] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return low + (high - low) * (rank - Math.floor(rank));
}

function percentiles(values: readonly number[]): Percentiles | null {
  if (values.length === 0) return null;
  return { p50: percentile(values, 0.5), p90: percentile(values, 0.9), p99: percentile(values, 0.99) };
}

function truth(rows: readonly UsageRow[], start: Date, end: Date, seconds: number, groupOf: (row: UsageRow) => string) {
  const inRange = rows.filter((row) => row.livemode && row.completed_at >= start && row.completed_at < end);
  const bucketOf = (row: UsageRow) => Math.floor(row.completed_at.getTime() / 1000 / seconds) * seconds * 1000;
  const groups = Map.groupBy(inRange, (row) => `${bucketOf(row)} ${groupOf(row)}`);
  return new Map(
    [...groups].map(([name, group]) => {
      const having = (status: string) => group.filter((row) => row.status === status);
      return [
        name,
        {
          tasks: group.length,
          completed: having('completed').length,
          failed: having('failed').length,
          cancelled: having('cancelled').length,
          videoSeconds: having('completed').length * 5,
          billableVideoSeconds: having('completed').length * 5,
          waitingSeconds: percentiles(
            group.filter((row) => row.rendering_seconds !== null).map((row) => row.waiting_seconds),
          ),
          renderingSeconds: percentiles(having('completed').map((row) => row.rendering_seconds ?? 0)),
        },
      ];
    }),
  );
}

describe('usage', () => {
  it('equals a count over all rows by bucket and group, percentiles included', async () => {
    const rows = rowsOf(3000);
    for (let from = 0; from < rows.length; from += 500)
      await database.db.kysely
        .insertInto('usage')
        .values(rows.slice(from, from + 500))
        .execute();
    const groups = {
      none: { groupBy: null, groupOf: () => 'null' },
      model: { groupBy: 'model', groupOf: (row: UsageRow) => row.model },
      key: {
        groupBy: 'key',
        groupOf: (row: UsageRow) => keys.find((id) => uuidFromId('key', id) === row.key_id) ?? '',
      },
      code: { groupBy: 'code', groupOf: (row: UsageRow) => String(row.code) },
    } as const;
    let compared = 0;
    for (const { groupBy, groupOf } of Object.values(groups)) {
      for (const [bucket, seconds, range] of [
        ['day', daySeconds, [0, 12]],
        ['day', daySeconds, [4, 6]],
        ['hour', hourSeconds, [2, 3]],
      ] as const) {
        const [start, end] = [at(range[0] * daySeconds), at(range[1] * daySeconds)];
        const query = {
          projectId: project,
          livemode: true,
          bucket,
          groupBy,
          start,
          end,
          longestLifeSeconds,
          limit: 1e4,
        };
        const sums = await database.db.usageSums.read(query);
        const expected = truth(rows, start, end, seconds, groupOf);
        expect(sums.map((sum) => `${sum.start.getTime()} ${sum.group}`).sort()).toEqual([...expected.keys()].sort());
        for (const sum of sums) {
          const right = expected.get(`${sum.start.getTime()} ${sum.group}`);
          const { waitingSeconds, renderingSeconds, ...counts } = right ?? {};
          expect(sum).toMatchObject(counts);
          expect(rounded(sum.waitingSeconds)).toEqual(rounded(waitingSeconds));
          expect(rounded(sum.renderingSeconds)).toEqual(rounded(renderingSeconds));
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(200);
  });

  it('reads only the days whose tasks can have ended in the range', async () => {
    const sumOf = (day: number) =>
      database.db.usageSums.read({
        projectId: project,
        livemode: true,
        bucket: 'day',
        groupBy: null,
        start: at(day * daySeconds),
        end: at((day + 1) * daySeconds),
        longestLifeSeconds: daySeconds,
        limit: 10,
      });
    const day = at(4 * daySeconds)
      .toISOString()
      .slice(0, 10)
      .replaceAll('-', '_');
    const isBlocked = async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db.kysely);
      return rows.length > 0;
    };
    const [held] = await database.db.kysely.transaction().execute(async (transaction) => {
      await sql`lock table ${sql.table(`usage_${day}`)} in access exclusive mode`.execute(transaction);
      // A task that ends on day 2 or 7 cannot be of day 4; one that ends on day 5 can.
      await sumOf(2);
      await sumOf(7);
      const waiting = sumOf(5);
      await expect.poll(isBlocked).toBe(true);
      return [waiting]; // in an array, because the transaction would wait for a promise
    });
    await held;
  });

  it('counts a task of the longest possible life, and no task of another project or mode', async () => {
    const other = newProjectId(new Date());
    const [row] = rowsOf(1);
    if (!row) throw new Error('there is no row');
    const createdAt = at(hourSeconds);
    await database.db.kysely
      .insertInto('usage')
      .values({
        ...row,
        task_id: uuidFromId('task', strayId('task', createdAt)) ?? '',
        project_id: uuidFromId('proj', other) ?? '',
        livemode: false,
        completed_at: at(hourSeconds + longestLifeSeconds),
      })
      .execute();
    const query = {
      projectId: other,
      bucket: 'day',
      groupBy: null,
      start: at(8 * daySeconds),
      end: at(9 * daySeconds),
      longestLifeSeconds,
      limit: 10,
    } as const;
    expect(await database.db.usageSums.read({ ...query, livemode: false })).toMatchObject([{ tasks: 1 }]);
    expect(await database.db.usageSums.read({ ...query, livemode: true })).toEqual([]);
  });
});

/** Rounds to six decimals, because two computations of the same value may differ in the last digits. */
function rounded(found: Percentiles | null | undefined): Percentiles | null {
  const round = (value: number) => Math.round(value * 1e6) / 1e6;
  return found ? { p50: round(found.p50), p90: round(found.p90), p99: round(found.p99) } : null;
}
