import { copyRows } from '@kinora/stack/harness/copy-rows';
import type { Client } from 'pg';

/** Rows that the service has written, which the seeded rows are copies of. */
export interface Templates {
  /** The UUID of a waiting task of the measured project. */
  waitingTask: string;
  /** The UUID of a cancelled task, which has a usage row and an event. */
  endedTask: string;
}

const pastDays = 30;
/** A video as the row of a completed task holds it. */
const video = {
  objectKey: 'videos/2026/11/01/task/0123456789abcdef/video.mp4',
  thumbnailKey: 'videos/2026/11/01/task/0123456789abcdef/thumbnail.webp',
  spritesheetKey: 'videos/2026/11/01/task/0123456789abcdef/spritesheet.webp',
  width: 854,
  height: 480,
  rendered: { width: 854, height: 480 },
  fps: 16,
  frameCount: 80,
  durationSeconds: 5,
  sizeBytes: 1_234_567,
  sha256: '0123456789abcdef'.repeat(4),
  hasAudio: false,
};

/** Prepares a connection for seeding. */
export async function prepareSeeding(database: Client): Promise<void> {
  await database.query('set synchronous_commit = off');
  await database.query("set maintenance_work_mem = '256MB'");
  // A UUIDv7 of the moment; the rest of it follows from the seed, so that the rows of several tables can share it.
  await database.query(`
    create function pg_temp.uuid_at(moment timestamptz, seed text) returns uuid language sql immutable as $$
      select (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint), 12, '0')
        || '7' || substr(md5(seed), 1, 3) || '8' || substr(md5(seed), 4, 15))::uuid $$`);
  await database.query('create temporary table seeded_projects (number integer primary key, id uuid not null)');
  await database.query('create temporary table seeding as select now() as began_at');
  // The installation has summed usage, day by day, for as long as it has run, so none of the seeded rows comes late.
  await database.query(
    `update usage_summed set until = date_trunc('day', now() - interval '${pastDays + 1} days', 'UTC')`,
  );
  await database.query('alter table usage disable trigger usage_is_late');
}

/** Inserts projects that may run nothing, so that the tasks seeded for them wait. */
export async function seedProjects(database: Client, count: number): Promise<void> {
  await database.query(
    `insert into seeded_projects
     select n - 1, pg_temp.uuid_at(now() - interval '40 days', 'project ' || n) from generate_series(1, $1::int) n`,
    [count],
  );
  await database.query(
    `insert into projects (id, name, created_at, running_limit, waiting_limit)
     select id, 'seeded ' || number, now() - interval '40 days', 0, 1000000 from seeded_projects`,
  );
  await database.query(
    `insert into project_slots (project_id, livemode, cap)
     select id, livemode, 0 from seeded_projects, (values (true), (false)) mode (livemode)`,
  );
}

/** Inserts endpoints of other pools, with a free slot each. */
export async function seedEndpoints(database: Client, count: number): Promise<void> {
  await database.query(
    `insert into endpoint_states (endpoint_id, pool, slots, is_open, seen_at)
     select 'seeded-' || n, 'seeded-' || n % 10, 1, true, now() from generate_series(1, $1::int) n`,
    [count],
  );
  await database.query(
    `insert into leases (endpoint_id, slot) select endpoint_id, 0 from endpoint_states on conflict do nothing`,
  );
}

/**
 * Inserts waiting tasks of the last hour, all of today, so that they are in one partition at any time of day. They
 * belong to the measured project, or are shared out to the seeded projects in turn. `slice` is their part of the hour.
 */
export async function seedWaiting(
  database: Client,
  { waitingTask }: Templates,
  {
    count,
    isShared,
    label,
    slice: { from, to },
  }: { count: number; isShared: boolean; label: string; slice: { from: number; to: number } },
): Promise<void> {
  const since = "greatest(seeding.began_at - interval '1 hour', date_trunc('day', seeding.began_at, 'UTC'))";
  await copyRows(database, {
    table: 'tasks',
    template: `id = '${waitingTask}'`,
    source: `generate_series(1, ${count}) n
      cross join seeding
      cross join lateral (
        select ${since} + (seeding.began_at - ${since}) * (${from} + ${to - from} * n / ${count}::float8) as at
      ) created
      ${isShared ? 'join seeded_projects project on project.number = n % (select count(*) from seeded_projects)' : ''}`,
    changes: {
      id: `pg_temp.uuid_at(created.at, '${label} ' || n)`,
      ...(isShared ? { project_id: 'project.id' } : {}),
      created_at: 'created.at',
      checked_at: 'created.at',
    },
  });
  await recount(database);
}

/** Inserts completed tasks of the 30 days before today, with all their rows; every second is the measured project's. */
export async function seedFinished(database: Client, { waitingTask, endedTask }: Templates, count: number) {
  const from = `date_trunc('day', now(), 'UTC') - interval '${pastDays} days'`;
  // The usage of a day is summed an hour after its end. In the hour after midnight, the last whole day is left out, or
  // else the figures would depend on the time of day.
  const until = "date_trunc('day', now() - interval '65 minutes', 'UTC')";
  // From the creation to the end takes 80 s. The last task is created early enough to end on the same day.
  const source = `generate_series(1, ${count}) n
    cross join lateral (
      select ${from} + (${until} - (${from})) * ((n - 1) / ${count}::float8) as at
    ) moment
    cross join lateral (
      select least(moment.at, ${until} - interval '2 minutes') as created_at
    ) task
    cross join lateral (
      select pg_temp.uuid_at(task.created_at, 'finished ' || n) as id, task.created_at + interval '20 seconds' as started_at,
        task.created_at + interval '80 seconds' as completed_at
    ) run
    left join seeded_projects project
      on n % 2 = 1 and project.number = (n / 2) % (select count(*) from seeded_projects)`;
  const projectId = 'coalesce(project.id, template.project_id)';
  await copyRows(database, {
    table: 'tasks',
    template: `id = '${waitingTask}'`,
    source,
    changes: {
      id: 'run.id',
      project_id: projectId,
      status: "'completed'",
      stage: "'finishing'",
      version: '4',
      video: `'${JSON.stringify(video)}'`,
      engine_seconds: '55',
      created_at: 'task.created_at',
      admitted_at: 'task.created_at',
      started_at: 'run.started_at',
      completed_at: 'run.completed_at',
      expires_at: "run.completed_at + interval '7 days'",
      checked_at: 'task.created_at',
      are_files_gone: "run.completed_at + interval '7 days' < now()",
    },
  });
  await copyRows(database, {
    table: 'usage',
    template: `task_id = '${endedTask}'`,
    source,
    changes: {
      task_id: 'run.id',
      project_id: projectId,
      status: "'completed'",
      engine_seconds: '55',
      video_seconds: '5',
      billable: 'true',
      waiting_seconds: '20',
      rendering_seconds: '60 + n % 7',
      created_at: 'task.created_at',
      completed_at: 'run.completed_at',
    },
  });
  for (const [type, at] of [
    ['video.started', 'run.started_at'],
    ['video.completed', 'run.completed_at'],
  ]) {
    await copyRows(database, {
      table: 'events',
      template: `task_id = '${endedTask}'`,
      source,
      changes: {
        id: `pg_temp.uuid_at(${at}, '${type} ' || n)`,
        task_id: 'run.id',
        project_id: projectId,
        type: `'${type}'`,
        created_at: `${at}`,
      },
    });
  }
  await database.query(`
    insert into attempts (task_id, attempt, endpoint_id, slot, fencing, engine_job_id, began_at, slot_freed_at, ended_at,
      outcome, engine_seconds)
    select run.id, 1, 'animatic', 0, n, run.id || '-1', run.started_at, run.started_at + interval '55 seconds',
      run.completed_at, 'completed', 55
    from ${source}`);
}

/** Vacuums and analyses as autovacuum does, which analyses the partitions of a table but never the table as a whole. */
export async function settleTables(database: Client): Promise<void> {
  await database.query(
    'vacuum (analyze) tasks, open_tasks, attempts, events, usage, usage_sums, projects, project_slots, pool_waiting, endpoint_states, leases',
  );
  await database.query('delete from pg_statistic where stainherit');
}

/** Sets the counters of all projects to what the rows say, as the service counts them. */
async function recount(database: Client): Promise<void> {
  await database.query(`
    insert into pool_waiting (project_id, livemode, pool, waiting)
    select project_id, livemode, pool, count(*) from tasks where status = 'queued' and admitted_at is null group by 1, 2, 3
    on conflict (project_id, livemode, pool) do update set waiting = excluded.waiting`);
  await database.query(`
    update project_slots set waiting = counted.waiting
    from (select project_id, livemode, sum(waiting) as waiting from pool_waiting group by 1, 2) counted
    where project_slots.project_id = counted.project_id and project_slots.livemode = counted.livemode`);
}
