import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strayId } from '../../domain/id.fixture.ts';
import { newProjectId, uuidFromId } from '../../domain/id.ts';
import { ensurePartitions } from '../connection/partitions.ts';
import { connectWithPlanCosts } from '../connection/plan-costs.fixture.ts';
import { useTestDatabase } from '../database.fixture.ts';
import type { TaskFilter } from './task-filter.ts';
import { taskListTable } from './task-list-table.ts';

const dayMilliseconds = 24 * 60 * 60 * 1000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMilliseconds);
const owner = { projectId: newProjectId(new Date()), livemode: true };
const other = { projectId: newProjectId(new Date()), livemode: true };
const key = strayId('key', new Date());
const common = { metadata: '{"shop": "common"}' };

const database = useTestDatabase(3);
let costs: ReturnType<typeof connectWithPlanCosts>;
beforeAll(async () => {
  costs = connectWithPlanCosts(database.url);
  for (const days of [29, 15, 1]) await ensurePartitions(database.db.kysely, daysAgo(days));
  await sql`set synchronous_commit = off`.execute(costs.kysely);
  // 10⁵ tasks over a month, and an evening last week in which all of them were of another model.
  await seed(owner, { count: 55_000, from: daysAgo(28), to: daysAgo(7), prompt: 'A paper boat drifts down a street' });
  await seed(owner, {
    count: 15_000,
    from: daysAgo(6),
    to: daysAgo(5.5),
    model: 'wan',
    prompt: 'A kite in a storm',
    ...common,
  });
  await seed(owner, { count: 15_000, from: daysAgo(5), to: daysAgo(0), prompt: 'A paper boat drifts down a street' });
  await seed(other, { count: 15_000, from: daysAgo(6), to: daysAgo(0), prompt: 'The xylophone of a neighbour' });
  await seed(owner, {
    count: 3,
    from: daysAgo(20),
    to: daysAgo(10),
    status: 'failed',
    prompt: 'A rare albatross',
    metadata: '{"order": "rare", "shop": "common"}',
  });
  await sql`vacuum analyze tasks`.execute(costs.kysely);
});
afterAll(async () => {
  await costs?.close();
});

interface Seeded {
  count: number;
  from: Date;
  to: Date;
  prompt: string;
  model?: string;
  status?: string;
  metadata?: string;
}

/** Inserts tasks evenly over a time. */
async function seed(of: typeof owner, { count, from, to, prompt, model, status, metadata }: Seeded): Promise<void> {
  const step = (to.getTime() - from.getTime()) / count;
  await sql`
    insert into tasks (id, project_id, livemode, key_id, type, status, stage, model, pool, prompt, resolution, aspect_ratio,
      duration_seconds, seed, warnings, metadata, error, video, created_at, started_at, completed_at, expires_at, checked_at)
    select (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
        || '8' || substr(md5(n::text), 4, 15))::uuid,
      ${uuidFromId('proj', of.projectId)}, ${of.livemode}, ${uuidFromId('key', key)}, 'text_to_video',
      ${status ?? 'completed'}::text, 'finishing', ${model ?? 'animatic'}, 'animatic', ${prompt} || ' number ' || n, '480p',
      '16:9', 5, 1, '[]', ${metadata ?? '{}'}::jsonb, '{"code":"engine_lost"}', '{}', at, at, at, at, at
    from (
      select n, ${from}::timestamptz + n * ${step}::float8 * interval '1 millisecond' as at
      from generate_series(0, ${count - 1}::integer) n
    ) seeded`.execute(costs.kysely);
}

interface PageOptions {
  limit?: number;
  order?: 'asc' | 'desc';
  after?: string | null;
}

function page(filter: TaskFilter, { limit = 20, order = 'desc', after = null }: PageOptions = {}) {
  const request = { owner, filter, order, after, limit, now: new Date() };
  return costs.measure(() => taskListTable(costs.kysely).page(request));
}

const promptsOf = ({ views }: Awaited<ReturnType<typeof page>>['result']) => views.map(({ task }) => task.prompt);

describe('a list of 10⁵ tasks', () => {
  it.each<[string, TaskFilter]>([
    ['a word that nobody used', { words: 'zyzzyva' }],
    ['a word that only another project uses', { words: 'xylophone' }],
    ['two words that never occur together', { words: 'kite boat' }],
    ['20 words', { words: 'a b c d e f g h i j k l m n o p q r s t' }],
    ['a type', { type: 'image_to_video' }],
    ['a model', { model: 'none' }],
    ['a resolution', { resolution: '1080p' }],
    ['a key', { keyId: strayId('key', new Date()) }],
    ['a status of ended tasks', { statuses: ['cancelled'] }],
    ['the status queued', { statuses: ['queued'] }],
    ['a status of open and one of ended tasks', { statuses: ['queued', 'cancelled'] }],
    ['a pair of metadata', { metadata: { order: 'none' } }],
    ['a pair of metadata that another key has', { metadata: { order: 'common' } }],
    ['metadata and statuses', { metadata: { order: 'rare' }, statuses: ['in_progress', 'completed'] }],
    ['a status and a model', { statuses: ['in_progress'], model: 'wan' }],
  ])('a list by %s that matches nothing ends at once and reads few pages', async (_, filter) => {
    const { result, pages } = await page(filter);
    expect(result).toEqual({ views: [], next: null });
    expect(pages).toBeLessThan(1_500);
  });

  it('a search for a word costs the same whether or not another project uses it', async () => {
    const { pages } = await page({ words: 'xylophone' });
    expect(pages).toBe((await page({ words: 'zyzzyva' })).pages);
  });

  it.each<[string, TaskFilter, 'asc' | 'desc']>([
    ['without a filter', {}, 'desc'],
    ['oldest first', {}, 'asc'],
    ['by a common word', { words: 'boat' }, 'desc'],
    ['by a common model', { model: 'animatic' }, 'desc'],
    ['by a common status, oldest first', { statuses: ['completed'] }, 'asc'],
    ['of one hour', { createdAfter: daysAgo(15), createdBefore: daysAgo(14.95) }, 'desc'],
  ])('a page %s reads few pages', async (_, filter, order) => {
    const { result, pages } = await page(filter, { order });
    expect(result.views).toHaveLength(20);
    expect(pages).toBeLessThan(500);
  });

  it.each<[TaskFilter]>([
    [{ words: 'albatross rare' }],
    [{ statuses: ['failed'] }],
    [{ words: 'albatross', model: 'animatic' }],
    [{ statuses: ['failed', 'cancelled'] }],
    [{ statuses: ['failed', 'queued'], model: 'animatic' }],
    [{ metadata: { order: 'rare' } }],
    [{ metadata: { order: 'rare', shop: 'common' }, statuses: ['failed'], words: 'albatross' }],
  ])('the rare tasks that match %j are all on the first page', async (filter) => {
    const { result, pages } = await page(filter);
    expect(result.next).toBeNull();
    expect(promptsOf(result)).toEqual([2, 1, 0].map((n) => `A rare albatross number ${n}`));
    expect(pages).toBeLessThan(1_000);
    const { result: first } = await page(filter, { limit: 2, order: 'asc' });
    const { result: second } = await page(filter, { limit: 2, order: 'asc', after: first.next });
    expect([first, second].map(promptsOf)).toEqual([
      [0, 1].map((n) => `A rare albatross number ${n}`),
      ['A rare albatross number 2'],
    ]);
  });

  it.each<[TaskFilter]>([[{ model: 'wan', words: 'storm' }], [{ metadata: { shop: 'common' }, model: 'wan' }]])(
    'what many tasks match, but none of the newest, is found page by page at a bounded cost: %j',
    async (filter) => {
      const found: string[] = [];
      let after: string | null = null;
      let empty = 0;
      for (let requests = 0; found.length < 500; requests += 1) {
        expect(requests).toBeLessThan(10);
        const { result, pages } = await page(filter, { limit: 100, after });
        expect(pages).toBeLessThan(5_000);
        expect(result.next).not.toBeNull();
        if (result.views.length === 0) empty += 1;
        found.push(...promptsOf(result));
        after = result.next;
      }
      expect(empty).toBeGreaterThan(0);
      expect(found).toEqual(Array.from({ length: 500 }, (_, n) => `A kite in a storm number ${14_999 - n}`));
    },
  );
});

it('the indexes of tasks can be built without our schema in the search path, as restoring a dump and Postgres 17 do', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("set search_path = ''");
  await expect(client.query('reindex index public.tasks_by_metadata')).resolves.toBeDefined();
  await expect(client.query('reindex index public.tasks_by_terms')).resolves.toBeDefined();
  await client.end();
});
