import { createPastPartitions } from '@kinora/stack/harness/past-partitions';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { attemptTable } from '../../db/attempts/attempt-table.ts';
import { leaseTable } from '../../db/attempts/lease-table.ts';
import type { Schema } from '../../db/connection/schema.ts';
import type { Database } from '../../db/database.ts';
import { admissionTable } from '../../db/queue/admission-table.ts';
import { poolQueueTable } from '../../db/queue/pool-queue-table.ts';
import { queueSnapshotTable } from '../../db/queue/queue-snapshot-table.ts';
import { usageTable } from '../../db/records/usage-table.ts';
import { eventTable } from '../../db/tasks/event-table.ts';
import { taskFileTable } from '../../db/tasks/task-file-table.ts';
import { taskTable } from '../../db/tasks/task-table.ts';
import { taskViewTable } from '../../db/tasks/task-view-table.ts';
import { lowestUuidAt } from '../../domain/id.ts';
import type { Task } from '../../domain/task.ts';
import { beginOrThrow, newPlace, useWorld, videoOf } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';

const pastDays = 30;
/** Yesterday, today and tomorrow. */
const mostPartitions = 3;
/** After five uses a statement has a name, and after five more Postgres may keep one plan for all its parameters. */
const repetitions = 12;

const world = useWorld();
/** A single session, as plans are kept per session. */
let session: Database;
let waiting: Task;
let begun: Awaited<ReturnType<typeof beginOrThrow>>;
let ended: Task;
const drainingPlace = newPlace();
beforeAll(async () => {
  const client = new pg.Client(world.url);
  await client.connect();
  await createPastPartitions(client, pastDays);
  await client.end();
  session = world.connect(1);
  const project = await world.newProject({ runningLimit: 2 });
  begun = await beginOrThrow(world, await world.accept(project));
  ended = await world.accept(project);
  await beginOrThrow(world, ended, drainingPlace);
  await cancelTask(world, ended.id);
  waiting = await world.accept(await world.newProject({ runningLimit: 0 }));
  await sql`update project_slots set cap = 1 where cap = 0`.execute(world.db.kysely);
});

/** Returns how many partitions of each table Postgres has locked for a statement, which is how many it planned over. */
async function partitionsOf(work: (db: Kysely<Schema>) => Promise<unknown>): Promise<Record<string, number>> {
  let locked: Record<string, number> = {};
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const transaction = await session.kysely.startTransaction().execute();
    try {
      await work(transaction);
      const { rows } = await sql<{ name: string; count: number }>`
        select inhparent::regclass::text as name, count(distinct inhrelid)::int as count from pg_locks
        join pg_inherits on inhrelid = relation join pg_class on pg_class.oid = relation
        where pid = pg_backend_pid() and relkind = 'r' group by inhparent`.execute(transaction);
      locked = Object.fromEntries(rows.map(({ name, count }) => [name, count]));
    } finally {
      await transaction.rollback().execute();
    }
  }
  return locked;
}

const options = { fileRetentionDays: 7 };

// A lookup of one task by its id is different: its plan is kept for all days, and reads one (kept-plans.stack.test.ts).
describe(`with ${pastDays + 15} partitions per table`, () => {
  const statements: Record<string, (db: Kysely<Schema>) => Promise<unknown>> = {
    'admitting a task': async (db) => {
      const at = world.clock.now();
      expect(await admissionTable(db).admit(waiting, at, 0)).toHaveLength(1);
    },
    'reading several tasks': (db) => taskViewTable(db).findMany([waiting.id, ended.id]),
    'reading the place of a task': (db) => poolQueueTable(db).places([waiting.id]),
    'reading the places of several tasks': (db) => poolQueueTable(db).places([waiting.id, ended.id]),
    'making the snapshot of the queues': (db) => queueSnapshotTable(db).make(),
    'reading the states of tasks that a worker renders': (db) => taskTable(db, options).states([begun.task.id]),
    'beginning a task': (db) =>
      taskTable(db, options).change(waiting.id, 'begin', { attempt: 1 }, { startedAt: world.clock.now() }),
    'completing a task': (db) =>
      taskTable(db, options).change(
        begun.task.id,
        'complete',
        { attempt: 1 },
        { video: videoOf(begun.task.id), completedAt: world.clock.now() },
      ),
    'beginning an attempt': (db) => attemptTable(db).insert({ ...begun.attempt, attempt: 2 }, world.processId),
    'freeing the slot of an attempt': (db) => attemptTable(db).markSlotFreed(begun.attempt, world.clock.now(), 1),
    'ending an attempt': (db) => attemptTable(db).markEnded(begun.task.id, 1, 'completed', world.clock.now()),
    'writing usage': (db) => usageTable(db).add(begun.task, world.clock.now()),
    'writing an event': (db) => eventTable(db).add('video.started', waiting, world.clock.now()),
    'reading the events of a stream': (db) => {
      const after = lowestUuidAt(world.clock.now());
      return eventTable(db).after([{ ...waiting, after }], 10, world.clock.now());
    },
    'reading the leases of an endpoint, one of which drains': async (db) => {
      const { draining } = await leaseTable(db).ofEndpoint(drainingPlace.endpointId);
      expect(draining).toMatchObject([{ taskId: ended.id, engineJobId: `${ended.id}-1` }]);
    },
    'marking files as deleted': (db) => taskFileTable(db).markDeleted([ended.id]),
  };

  for (const [name, work] of Object.entries(statements)) {
    it(`${name} uses at most ${mostPartitions} of them`, async () => {
      expect(Math.max(0, ...Object.values(await partitionsOf(work)))).toBeLessThanOrEqual(mostPartitions);
    });
  }

  it('a statement without a bound on the id would use them all', async () => {
    const { tasks = 0 } = await partitionsOf((db) => sql`select count(*) from tasks`.execute(db));
    expect(tasks).toBeGreaterThanOrEqual(pastDays + 15);
  });
});
