import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Attempt } from '../../db/attempts.ts';
import type { Database } from '../../db/database.ts';
import { uuidFromId } from '../../domain/id.ts';
import { isFinal, type Task } from '../../domain/task.ts';
import { beginAttempt } from '../attempts/begin-attempt.ts';
import { freeSlot } from '../attempts/free-slot.ts';
import { retryTask } from '../attempts/retry-task.ts';
import { takeOverAttempt } from '../attempts/take-over-attempt.ts';
import { createWorld, newPlace, videoOf, type World } from '../operations.fixture.ts';
import { endTask } from './end-task.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

const rightRows = { status: 'completed', usage: 1, ends: 1, leases: 0, running: 0, waiting: 0 };

it('a task ends once, and each attempt submits one job, wherever its worker dies once or twice', async () => {
  const { points } = await live([]);
  for (let first = 0; first < points; first += 1) {
    let wasReached = true;
    // Another attempt adds crash points, so only a life that never gets to the second one shows that it was the last.
    for (let second = first; wasReached; second += 1) {
      const crashes = [first, second];
      const { taskId, submitted, points: passed } = await live(crashes);
      wasReached = passed > second;
      expect({ crashes, ...(await rowsOf(taskId)) }).toEqual({ crashes, ...rightRows });
      expect({ crashes, submitted }).toEqual({ crashes, submitted: [...new Set(submitted)] });
    }
  }
  await world.expectCountersToBeRight();
});

class Crash extends Error {}

/** Leads one task to its end. Whenever the worker dies at one of the crash points, another one goes on. */
async function live(crashPoints: readonly number[]) {
  const { reach, count } = countPoints(crashPoints);
  const parts = { db: throughPoints(reach), workflows: world.workflows, clock: world.clock };
  const place = newPlace();
  await world.db.leases.ensureSlots(place.endpointId, 1);
  const { id: taskId } = await world.accept(await world.newProject());
  const submitted: string[] = [];

  const begin = async (task: Task): Promise<Attempt> => {
    const begun = await beginAttempt(parts, task, { ...place, operationFor: (jobId) => ({ jobId }) });
    if (begun.kind !== 'begun') throw new Error(`the task did not begin: ${begun.kind}`);
    await reach(async () => submitted.push(begun.attempt.engineJobId));
    return begun.attempt;
  };
  /** Returns null if the engine does not know the job, so that the task needs another attempt. */
  const takeOver = async (): Promise<Attempt | null> => {
    const taken = await takeOverAttempt(parts, taskId);
    if (taken.kind !== 'taken') throw new Error(`the attempt was not taken over: ${taken.kind}`);
    if (submitted.includes(taken.attempt.engineJobId)) return taken.attempt;
    await retryTask(parts, taken.attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: true });
    return null;
  };
  const work = async (task: Task): Promise<void> => {
    const attempt = task.status === 'queued' ? await begin(task) : await takeOver();
    if (!attempt || !(await freeSlot(parts, attempt))) return;
    const ending = { kind: 'complete', video: videoOf(taskId) } as const;
    await parts.db.transaction((tables) => endTask(tables, taskId, ending, attempt, world.clock.now()));
  };

  for (;;) {
    world.moveClock(1);
    const task = await world.db.tasks.find(taskId);
    if (!task) throw new Error('the task is lost');
    if (isFinal(task.status)) return { taskId, submitted, points: count() };
    await work(task).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    });
  }
}

/** Every effect on another system is between two crash points: the worker can die before the effect and after it. */
function countPoints(crashPoints: readonly number[]) {
  let points = 0;
  const pass = (): void => {
    points += 1;
    if (crashPoints.includes(points - 1)) throw new Crash();
  };
  const reach = async <T>(effect: () => Promise<T>): Promise<T> => {
    pass();
    const result = await effect();
    pass();
    return result;
  };
  return { reach, count: () => points };
}

function throughPoints(reach: ReturnType<typeof countPoints>['reach']): Database {
  const transaction: Database['transaction'] = (work) => reach(() => world.db.transaction(work));
  return { ...world.db, transaction };
}

async function rowsOf(taskId: string) {
  const id = uuidFromId('task', taskId);
  const { rows } = await sql<Record<string, unknown>>`select status, running, waiting,
    (select count(*)::int from usage where task_id = ${id}) as usage,
    (select count(*)::int from events where task_id = ${id}
      and type in ('video.completed', 'video.failed', 'video.cancelled')) as ends,
    (select count(*)::int from leases where task_id = ${id}) as leases
    from tasks join project_slots using (project_id, livemode) where id = ${id}`.execute(world.db.kysely);
  return rows[0];
}
