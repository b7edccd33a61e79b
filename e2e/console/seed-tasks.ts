import { createApiClient } from '@kinora/stack/harness/api-client';
import { copyRows } from '@kinora/stack/harness/copy-rows';
import { connectTo } from '@kinora/stack/harness/open-database';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';

/** Gives a project many tasks completed today: copies of a real one, whose files load, with different prompts. */
export async function seedCompleted(
  { url, key, databaseUrl }: { url: string; key: string; databaseUrl: string },
  count: number,
): Promise<void> {
  const client = createApiClient({ url, key });
  const { end } = await client.follow((await client.create({ prompt: 'a kite over the dunes', ...smallestVideo })).id);
  if (end.status !== 'completed') throw new Error(`the task to copy is ${end.status}`);
  await using database = await connectTo(databaseUrl);
  await database.query(`
    create function pg_temp.uuid_at(moment timestamptz, seed text) returns uuid language sql immutable as $$
      select (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0')
        || '7' || substr(md5(seed), 1, 3) || '8' || substr(md5(seed), 4, 15))::uuid $$`);
  const newest =
    "select id from tasks where status = 'completed' and prompt = 'a kite over the dunes' order by id desc";
  const template = (await database.query<{ id: string }>(`${newest} limit 1`)).rows[0]?.id;
  // Since the start of the day at the earliest, so that all of them are in one partition.
  const source = `generate_series(1, ${count}) n
    cross join lateral (
      select greatest(now() - interval '12 hours', date_trunc('day', now(), 'UTC')) as since
    ) day
    cross join lateral (select day.since + (now() - day.since) * (n / ${count + 1}::float8) as created_at) moment
    cross join lateral (select pg_temp.uuid_at(moment.created_at, 'seeded ' || n) as id) seeded`;
  await copyRows(database, {
    table: 'tasks',
    template: `id = '${template}'`,
    source,
    changes: {
      id: 'seeded.id',
      prompt: "'a kite over the dunes, take ' || n",
      created_at: 'moment.created_at',
      admitted_at: 'moment.created_at',
      started_at: 'moment.created_at',
      completed_at: "moment.created_at + interval '1 second'",
      checked_at: 'moment.created_at',
    },
  });
  await copyRows(database, {
    table: 'usage',
    template: `task_id = '${template}'`,
    source,
    changes: { task_id: 'seeded.id', created_at: 'moment.created_at', completed_at: 'moment.created_at' },
  });
  await database.query('analyze tasks');
  await database.query('analyze usage');
}
