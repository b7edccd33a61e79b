import { setTimeout as pause } from 'node:timers/promises';
import { forAllTests, forEachTest } from '@kinora/stack/harness/for-all-tests';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Project, ProjectSettings } from '../db/access/project-table.ts';
import { createTestDatabase, setOwnClock, type TestDatabase } from '../db/database.fixture.ts';
import type { OutboxMessage } from '../db/queue/outbox-table.ts';
import type { Operator } from '../domain/actor.ts';
import { builtInCatalogue } from '../domain/catalogue.ts';
import { clockAt } from '../domain/clock.fixture.ts';
import { systemClock } from '../domain/clock.ts';
import { strayId } from '../domain/id.fixture.ts';
import { newId, uuidFromId } from '../domain/id.ts';
import { limits } from '../domain/limits.ts';
import { contentKey } from '../domain/object-key.ts';
import { random } from '../domain/random.ts';
import { plainRequest, plainVideo } from '../domain/task.fixture.ts';
import type { Task, TaskRequest, TaskVideo } from '../domain/task.ts';
import { createLog } from '../telemetry/log.ts';
import { type Begun, beginAttempt } from './attempts/begin-attempt.ts';
import { countImageCreates } from './files/count-image-creates.ts';
import { createProjectLimit } from './queue/project-limit.ts';
import { createTemporalWorkflowClient } from './queue/temporal-workflow-client.ts';
import { acceptTask } from './tasks/accept-task.ts';

/** Limits that no test reaches. */
const unlimited: ProjectSettings = { createsPerMinute: 2_000_000_000, waitingLimit: 1_000_000 };

export type World = Awaited<ReturnType<typeof createWorld>>;

/** A database, a clock that only the test moves, also Postgres's `now()`, and workflows that cannot reach Temporal. */
export async function createWorld(poolSize?: number) {
  const database: TestDatabase = await createTestDatabase(poolSize, { hasOwnClock: true });
  const { db } = database;
  let milliseconds = Date.now();
  await setOwnClock(db, new Date(milliseconds));
  const clock = clockAt(() => new Date(milliseconds));
  const log = createLog({ level: 'silent', roles: [] });
  const workflows = createTemporalWorkflowClient({
    address: '127.0.0.1:1',
    namespace: 'unreachable',
    db,
    clock: systemClock,
    log,
  });

  /** The process that begins attempts and takes them over. */
  const processId = random.uuid();
  return {
    ...database,
    processId,
    catalogue: () => builtInCatalogue,
    clock,
    log,
    workflows,
    countImageCreate: countImageCreates({ clock }),
    imageLimit: createProjectLimit({ clock }, limits.images),
    /** Moves the clock, and Postgres's with it. */
    async moveClock(seconds: number): Promise<void> {
      milliseconds += seconds * 1000;
      await setOwnClock(db, clock.now());
    },
    /** Returns the messages in the outbox, due or not. */
    async messages(): Promise<OutboxMessage[]> {
      await sql`update outbox set due_at = now()`.execute(db.kysely);
      return db.outbox.takeDue(10_000);
    },
    async newProject(settings: ProjectSettings = {}): Promise<Project> {
      const { id } = await db.transaction((tables) => tables.projects.insert('a project', clock.now()));
      const project = await db.projects.set(id, { ...unlimited, ...settings }, clock.now());
      if (!project) throw new Error('the project was not found');
      return project;
    },
    async accept(
      project: Project,
      options: { livemode?: boolean; request?: Partial<TaskRequest> } = {},
    ): Promise<Task> {
      const caller = callerOf(project, options.livemode ?? true);
      const id = strayId('task', clock.now());
      return (await acceptTask({ db, workflows, clock }, caller, id, { ...plainRequest, ...options.request })).task;
    },
    /** Makes the creates of a project so far older, for its limit of creates per minute, which follows Postgres's clock. */
    async ageCreates(project: Project, interval: string): Promise<void> {
      await sql`update project_slots set create_allowed_at = create_allowed_at - ${interval}::interval
        where project_id = ${uuidFromId('proj', project.id)}`.execute(db.kysely);
    },
    /** Begins a task on the given slot, by default on one of a new endpoint. */
    async begin(task: Task, place: { endpointId: string; slot: number } = newPlace()): Promise<Begun> {
      await db.leases.ensureSlots(place.endpointId, place.slot + 1);
      return beginAttempt({ db, workflows, clock, processId }, task, {
        ...place,
        operationFor: (jobId) => ({ jobId }),
      });
    },
    async slotsOf(project: Pick<Project, 'id'>, livemode = true) {
      return db.kysely
        .selectFrom('project_slots')
        .select(['cap', 'running', 'waiting', 'create_allowed_at', 'stored_bytes', 'uploaded_files'])
        .where('project_id', '=', uuidFromId('proj', project.id) ?? '')
        .where('livemode', '=', livemode)
        .executeTakeFirstOrThrow();
    },
    /** Locks the row of a task until it is released. */
    async lockTask(taskId: string): Promise<{ release: () => Promise<void> }> {
      const locked = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const transaction = db.transaction(async (tables) => {
        await tables.tasks.lock(taskId);
        locked.resolve();
        await released.promise;
      });
      await locked.promise;
      return {
        release: async () => {
          released.resolve();
          await transaction;
        },
      };
    },
    /** Waits until this many statements wait for a lock, however slow the machine is: the test's limit applies. */
    async waitUntilBlocked(statements: number, isOver = () => false): Promise<void> {
      const countBlocked = async () => {
        const result = await sql<{ blocked: number }>`select count(*)::int as blocked from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db.kysely);
        return result.rows[0]?.blocked ?? 0;
      };
      while (!isOver() && (await countBlocked()) < statements) await pause(5);
    },
    /** Expects every counter to agree with the rows that it counts. */
    async expectCountersToBeRight(): Promise<void> {
      const projects = await db.projectSlots.nextToCount(null);
      expect(projects && (await db.projectSlots.miscounted(projects))).toEqual([]);
      expect(await db.storedBytes.miscounted()).toEqual([]);
      const inPools = await sql`select project_id, livemode, pool, waiting from pool_waiting where waiting > 0
        order by 1, 2, 3`.execute(db.kysely);
      const actual = await sql`select project_id, livemode, pool, count(*)::int as waiting from tasks
        where status = 'queued' and admitted_at is null group by 1, 2, 3 order by 1, 2, 3`.execute(db.kysely);
      expect(inPools.rows).toEqual(actual.rows);
      const open = await sql`select id, project_id, livemode, pool, priority, status, attempt, restarts, admitted_at,
        started_at from open_tasks order by id`.execute(db.kysely);
      const tasks = await sql`select id, project_id, livemode, pool, priority, status, attempt, restarts, admitted_at,
        started_at from tasks where status in ('queued', 'in_progress') order by id`.execute(db.kysely);
      expect(open.rows).toEqual(tasks.rows);
    },
    close: async () => {
      await workflows.close();
      await database.drop();
    },
  };
}

/** Creates a world before the tests of a file and closes it after them. */
export function useWorld(poolSize?: number): World {
  return forAllTests(
    () => createWorld(poolSize),
    (world) => world.close(),
  );
}

/** Creates a world before each test and closes it after the test. */
export function useWorldPerTest(): World {
  return forEachTest(createWorld, (world) => world.close());
}

export async function beginOrThrow(world: World, task: Task, place?: { endpointId: string; slot: number }) {
  const begun = await world.begin(task, place);
  if (begun.kind !== 'begun') throw new Error(`the task did not begin: ${begun.kind}`);
  return begun;
}

/**
 * Lets contenders race; the one at `index` starts first, each in turn. In the first race of each it also ends before the
 * others start, so that every contender wins once on any machine. Returns what they returned.
 */
export async function race<T>(contenders: readonly (() => Promise<T>)[], index: number): Promise<T[]> {
  const turn = index % contenders.length;
  const [first, ...others] = [...contenders.slice(turn), ...contenders.slice(0, turn)];
  if (!first) return [];
  const started = first();
  if (index < contenders.length) await started;
  return Promise.all([started, ...others.map((run) => run())]);
}

/** Does the work `count` times, at most `lanes` at a time. */
export async function inLanes(lanes: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

export const operator: Operator = { operator: 'ada', command: 'a command' };

export function callerOf(project: Project, livemode = true) {
  return { projectId: project.id, livemode, keyId: strayId('key', new Date()) };
}

export function newPlace(): { endpointId: string; slot: number } {
  return { endpointId: newId('req', new Date()), slot: 0 };
}

/** Returns a finished video with object keys of the task; `content` tells two videos of one task apart. */
export function videoOf(taskId: string, content = 'a'): TaskVideo {
  const sha256 = content.repeat(64).slice(0, 64);
  return {
    ...plainVideo,
    objectKey: contentKey(taskId, sha256, 'mp4'),
    thumbnailKey: contentKey(taskId, sha256, 'jpg'),
    spritesheetKey: contentKey(taskId, `${sha256.slice(0, 63)}s`, 'jpg'),
    sha256,
  };
}
