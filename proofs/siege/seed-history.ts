import { copyRows } from '@kinora/stack/harness/copy-rows';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { pastPartition } from '@kinora/stack/harness/past-partitions';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';

/** Completed tasks of the past that one project gets. */
export interface History {
  /** The UUID of a waiting task of the project, which the rows in `tasks` are copies of. */
  waitingTask: string;
  /** The UUID of a cancelled task of the project, whose row in `usage` is copied. */
  endedTask: string;
  tasks: number;
  /** The object that is the video, thumbnail and spritesheet of all these tasks. */
  objectKey: string;
  sizeBytes: number;
}

/** The service itself creates the partitions from yesterday on, and drops those older than 30 days. */
const historyDays = { newest: 2, oldest: 28 };
const days = historyDays.oldest - historyDays.newest + 1;

/**
 * Fills the past with completed tasks and their usage, the same number on each day. A partition gets its indexes when it
 * is attached, after its rows, and is unlogged: so 10⁶ tasks take a third of the time. Each core fills some of the days.
 */
export async function seedHistory(stack: Stack, histories: readonly History[]): Promise<void> {
  const ages = Array.from({ length: days }, (_, index) => historyDays.newest + index);
  const fillDays = async (): Promise<void> => {
    await using database = await openDatabase(stack);
    await prepareConnection(database);
    for (let daysAgo = ages.shift(); daysAgo !== undefined; daysAgo = ages.shift())
      await fillDay(database, histories, daysAgo);
  };
  await Promise.all([fillDays(), fillDays()]);
  await forgetSums(stack);
}

/** Makes `kinora-server sum-usage` sum these days up, which have ended before this installation was made. */
async function forgetSums(stack: Stack): Promise<void> {
  await using database = await openDatabase(stack);
  const { startsAt } = pastPartition('usage', historyDays.oldest);
  await database.query('update usage_summed set until = $1', [startsAt]);
}

async function prepareConnection(database: Client): Promise<void> {
  // A small sample is enough for rows that are all alike; the usual one reads nearly every row of a day.
  await database.query('set synchronous_commit = off; set default_statistics_target = 1');
  await database.query("set maintenance_work_mem = '256MB'");
  await database.query(`
    create function pg_temp.uuid_of(moment timestamptz, number bigint) returns uuid language sql immutable as $$
      select (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0')
        || '70008' || lpad(to_hex(number), 15, '0'))::uuid $$`);
}

async function fillDay(database: Client, histories: readonly History[], daysAgo: number): Promise<void> {
  for (const table of ['tasks', 'usage']) {
    const { name, attach, startsAt } = pastPartition(table, daysAgo);
    await database.query(`create unlogged table ${name} (like ${table} including defaults including constraints)`);
    for (const [index, history] of histories.entries()) {
      const perDay = Math.ceil(history.tasks / days);
      // A task ends 80 s after its creation, on the same day.
      const source = `generate_series(1, ${perDay}) n
        cross join lateral (
          select '${startsAt.toISOString()}'::timestamptz + interval '86000 seconds' * (n / ${perDay}::float8) as at
        ) created`;
      const id = `pg_temp.uuid_of(created.at, n * ${histories.length} + ${index})`;
      const changes = table === 'tasks' ? changesOfTask(id, history) : changesOfUsage(id);
      const templateTask = table === 'tasks' ? `id = '${history.waitingTask}'` : `task_id = '${history.endedTask}'`;
      await copyRows(database, { table, into: name, template: templateTask, source, changes });
    }
    await database.query(`${attach}; analyze ${name}`);
  }
}

function changesOfTask(id: string, { objectKey, sizeBytes }: History): Record<string, string> {
  const keys = { objectKey, thumbnailKey: objectKey, spritesheetKey: objectKey };
  const shape = { width: 480, height: 480, rendered: { width: 480, height: 480 }, fps: 16, frameCount: 16 };
  const video = { ...keys, ...shape, durationSeconds: 1, sizeBytes, sha256: '0'.repeat(64), hasAudio: false };
  return {
    id,
    status: "'completed'",
    stage: "'finishing'",
    version: '4',
    // A word that all prompts have, one that many have and one that few have.
    prompt: "'boat shore' || n % 7 || ' cloud' || n % 1000",
    video: `'${JSON.stringify(video)}'`,
    engine_seconds: '55',
    created_at: 'created.at',
    admitted_at: 'created.at',
    started_at: "created.at + interval '20 seconds'",
    completed_at: "created.at + interval '80 seconds'",
    expires_at: "now() + interval '7 days'",
    // The relay has no file to delete: all tasks share one, and the index of these files stays small.
    are_files_gone: 'true',
    checked_at: 'created.at',
  };
}

function changesOfUsage(id: string): Record<string, string> {
  return {
    task_id: id,
    status: "'completed'",
    engine_seconds: '55',
    video_seconds: '1',
    billable: 'true',
    waiting_seconds: '20',
    rendering_seconds: '60 + n % 7',
    created_at: 'created.at',
    completed_at: "created.at + interval '80 seconds'",
  };
}
