import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { admissionTable } from '../../db/queue/admission-table.ts';
import { poolQueueTable } from '../../db/queue/pool-queue-table.ts';
import { uuidFromId } from '../../domain/id.ts';
import { retryTask } from '../attempts/retry-task.ts';
import { beginOrThrow, useWorldPerTest } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';

const world = useWorldPerTest();

async function openRow(taskId: string) {
  const row = await world.db.kysely
    .selectFrom('open_tasks')
    .select(['status', 'attempt', 'admitted_at', 'started_at'])
    .where('id', '=', uuidFromId('task', taskId) ?? '')
    .executeTakeFirst();
  return row && { ...row, admitted_at: row.admitted_at !== null, started_at: row.started_at !== null };
}

/** Accepts tasks of all kinds: waiting, admitted, begun, retried and ended. */
async function acceptSome(): Promise<void> {
  const project = await world.newProject({ runningLimit: 4 });
  const accepted = [];
  for (let count = 0; count < 6; count += 1) accepted.push(await world.accept(project));
  const [begun, retried, ended] = accepted;
  if (!begun || !retried || !ended) throw new Error('nothing was accepted');
  await beginOrThrow(world, begun);
  const { attempt } = await beginOrThrow(world, retried);
  await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true });
  await cancelTask(world, ended.id);
}

describe('the table of open tasks', () => {
  it('a task has a row from its acceptance to its end', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const task = await world.accept(project);
    const waiting = await world.accept(project);
    expect(await openRow(task.id)).toMatchObject({
      status: 'queued',
      attempt: 1,
      admitted_at: true,
      started_at: false,
    });
    expect(await openRow(waiting.id)).toMatchObject({ status: 'queued', admitted_at: false });
    const { attempt } = await beginOrThrow(world, task);
    expect(await openRow(task.id)).toMatchObject({ status: 'in_progress', attempt: 1, started_at: true });
    await retryTask(world, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true });
    expect(await openRow(task.id)).toMatchObject({ status: 'queued', attempt: 2, admitted_at: true });
    await cancelTask(world, task.id);
    expect(await openRow(task.id)).toBeUndefined();
    expect(await openRow(waiting.id)).toMatchObject({ admitted_at: true });
  });

  it('rows that an operator changes by SQL are followed', async () => {
    const task = await world.accept(await world.newProject());
    const uuid = uuidFromId('task', task.id);
    await sql`update tasks set status = 'failed' where id = ${uuid}`.execute(world.db.kysely);
    expect(await openRow(task.id)).toBeUndefined();
    await sql`update tasks set status = 'queued' where id = ${uuid}`.execute(world.db.kysely);
    expect(await openRow(task.id)).toMatchObject({ status: 'queued' });
    await sql`delete from tasks where id = ${uuid}`.execute(world.db.kysely);
    expect(await openRow(task.id)).toBeUndefined();
  });

  it('the migration fills the table from the tasks that are open', async () => {
    await acceptSome();
    await sql`drop table open_tasks, unserved_pools`.execute(world.db.kysely);
    await sql`drop function keep_open_task cascade`.execute(world.db.kysely);
    await sql`alter table outbox drop column after_completion`.execute(world.db.kysely);
    const file = join(import.meta.dirname, '../../db/migrations/0011-open-tasks.sql');
    await sql.raw(await readFile(file, 'utf8')).execute(world.db.kysely);
    await acceptSome();
    await expect(world.expectCountersToBeRight()).resolves.toBeUndefined();
  });

  it('admission and queue places use one partition of tasks', async () => {
    const project = await world.newProject({ runningLimit: 0 });
    const task = await world.accept(project);
    await world.db.projects.set(project.id, { runningLimit: 1 }, world.clock.now());
    await world.db.kysely.transaction().execute(async (transaction) => {
      const at = world.clock.now();
      expect((await poolQueueTable(transaction).places([task.id])).get(task.id)).toMatchObject({ place: 1, cap: 1 });
      const admitted = await admissionTable(transaction).admit({ projectId: project.id, livemode: true }, at, 0);
      expect(admitted).toMatchObject([{ taskId: task.id, afterCompletion: false }]);
      // Postgres locks every partition that it plans over.
      const locked = await sql<{ relname: string }>`
        select distinct relname from pg_locks join pg_class on pg_class.oid = relation
        where pid = pg_backend_pid() and relkind = 'r' and relname like 'tasks%'`.execute(transaction);
      expect(locked.rows).toHaveLength(1);
    });
  });
});
