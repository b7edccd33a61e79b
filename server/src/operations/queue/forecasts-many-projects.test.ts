import { beforeAll, describe, expect, test } from 'vitest';
import type { PoolQueue } from '../../db/queue/queue-snapshot-table.ts';
import { builtInCatalogue } from '../../domain/catalogue.ts';
import { clockAt } from '../../domain/clock.fixture.ts';
import { plainTask } from '../../domain/task.fixture.ts';
import type { Task } from '../../domain/task.ts';
import { createForecasts } from './forecasts.ts';

const projects = 10_000;
/** As many as an API process reads together for its streams. */
const tasks = 1_000;
const clock = clockAt(() => new Date('2026-11-15T12:00:00Z'));

let contendersRead = 0;
/** Every project has another number of tasks, which is the worst case. */
const pool: PoolQueue = {
  pool: 'video',
  inProgress: 0,
  acceptingSlots: 100,
  isUnserved: false,
  contenders: Array.from({ length: projects }, (_, index) => ({
    weight: 1,
    get waiting() {
      contendersRead += 1;
      return 5 + ((index * 7_919) % projects);
    },
    retries: 0,
    projects: 1,
  })),
};
const own = { place: 1, weight: 1, cap: 2, inProgress: 0, waiting: 5, retries: 0 };
const views = Array.from({ length: tasks }, (_, index) => ({ task: queuedTask(index), live: null }));

function queuedTask(index: number): Task {
  return {
    ...plainTask,
    id: `task_${index}`,
    projectId: `proj_${index}`,
    createdAt: clock.now(),
    model: 'video-model',
    pool: 'video',
    status: 'queued',
    admittedAt: null,
  };
}

describe(`the forecast of ${tasks} queued tasks among ${projects} projects`, () => {
  let positions: (number | null)[] = [];
  let readForFirst = 0;
  beforeAll(async () => {
    const forecasts = createForecasts({
      db: {
        queueSnapshots: {
          read: async () => ({ ageSeconds: 0, isNextDue: false, pools: [pool] }),
          claim: async () => false,
          make: async () => [pool],
        },
        poolQueues: { places: async (ids) => new Map(ids.map((id) => [id, own])) },
      },
      speeds: { find: () => null, of: () => [] },
      catalogue: () => builtInCatalogue,
      clock,
    });
    await forecasts.add(views.slice(0, 1));
    readForFirst = contendersRead;
    positions = (await forecasts.add(views)).map(({ forecast }) => forecast.queuePosition);
  });

  test('the next task of a project waits behind one task of every other project', () => {
    expect(positions).toEqual(Array(tasks).fill(projects));
  });

  test('a snapshot is sorted once, and then no forecast looks at the projects again', () => {
    // A sort compares each of n items about log n times.
    expect(readForFirst).toBeLessThanOrEqual(3 * projects * Math.ceil(Math.log2(projects)));
    expect(contendersRead).toBe(readForFirst);
  });
});
