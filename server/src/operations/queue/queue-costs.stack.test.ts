import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectWithPlanCosts } from '../../db/connection/plan-costs.fixture.ts';
import { admissionTable } from '../../db/queue/admission-table.ts';
import { poolQueueTable } from '../../db/queue/pool-queue-table.ts';
import { queueSnapshotTable } from '../../db/queue/queue-snapshot-table.ts';
import { idFromUuid, uuidFromId } from '../../domain/id.ts';
import type { Task } from '../../domain/task.ts';
import { useWorld } from '../operations.fixture.ts';

const waiting = 100_000;
const projects = 10_000;

const world = useWorld();
let costs: ReturnType<typeof connectWithPlanCosts>;
let first: Task;
beforeAll(async () => {
  costs = connectWithPlanCosts(world.url);
  const project = await world.newProject({ runningLimit: 0, waitingLimit: 2 * waiting });
  first = await world.accept(project);
  await world.moveClock(1);
  await world.accept(project);
});
afterAll(async () => {
  await costs?.close();
});

/** Lets more tasks of the first task's project wait; the rows of the tasks themselves are not read. */
async function addWaiting(from: number, to: number): Promise<void> {
  await sql`
    insert into open_tasks (id, project_id, livemode, pool, priority, status, attempt, restarts, checked_at)
    select (substr(id::text, 1, 24) || lpad(to_hex(number), 12, '0'))::uuid, project_id, livemode, pool, priority, status,
      attempt, restarts, checked_at
    from open_tasks, generate_series(${from}::int, ${to}::int) number
    where id = (select id from open_tasks order by id desc limit 1)`.execute(world.db.kysely);
  await sql`update pool_waiting set waiting = waiting + ${to - from + 1}`.execute(world.db.kysely);
  await sql`vacuum (analyze) open_tasks`.execute(world.db.kysely);
}

async function pagesOfPlaces(): Promise<number[]> {
  const result = await sql<{ id: string }>`
    (select id from open_tasks order by id limit 1) union all (select id from open_tasks order by id offset 500 limit 1)
    union all (select id from open_tasks order by id desc limit 1)`.execute(world.db.kysely);
  const pages = [];
  for (const { id } of result.rows) {
    const measured = await costs.measure(() => poolQueueTable(costs.kysely).places([idFromUuid('task', id)]));
    pages.push(measured.pages);
  }
  return pages;
}

describe('a long queue', () => {
  it('costs a reader of a place and an admission as many pages as a short one', async () => {
    await addWaiting(1, 2_000);
    const [head = 0, middle = 0, last = 0] = await pagesOfPlaces();
    await addWaiting(2_001, waiting);
    const [headOfLong = 0, middleOfLong = 0, lastOfLong = 0] = await pagesOfPlaces();
    // An index with more entries may be one level deeper, which is a page for each of its scans.
    expect(headOfLong).toBeLessThanOrEqual(head + 4);
    expect(middleOfLong).toBeLessThanOrEqual(middle * 1.2 + 4);
    expect(lastOfLong).toBeLessThanOrEqual(last * 1.2 + 4);
    await sql`update project_slots set cap = 1 where project_id = ${uuidFromId('proj', first.projectId)}`.execute(
      world.db.kysely,
    );
    let pages = 0;
    // The first use in a session also reads the catalogue.
    for (let repetition = 0; repetition < 3; repetition += 1) {
      const transaction = await costs.kysely.startTransaction().execute();
      const at = world.clock.now();
      const measured = await costs.measure(async () => {
        const admitted = await admissionTable(transaction).admit(first, at, 0);
        await transaction.rollback().execute(); // ends the statement, and so sends its costs
        return admitted;
      });
      expect(measured.result.map(({ taskId }) => taskId)).toEqual([first.id]);
      pages = measured.pages;
    }
    expect(pages).toBeLessThanOrEqual(80);
  });

  it('costs the snapshot of the queues less than 1,000 pages with 10,000 projects, and its size depends on their queues', async () => {
    await sql`insert into projects (id, name, created_at)
      select gen_random_uuid(), 'seeded', now() from generate_series(1, ${projects}::int)`.execute(world.db.kysely);
    await sql`insert into project_slots (project_id, livemode, cap, waiting)
      select id, true, 2, 10 from projects where name = 'seeded'`.execute(world.db.kysely);
    await sql`insert into pool_waiting (project_id, livemode, pool, waiting)
      select id, true, 'seeded', 10 + row_number() over () % 50 from projects where name = 'seeded'`.execute(
      world.db.kysely,
    );
    await sql`vacuum (analyze) projects, project_slots, pool_waiting`.execute(world.db.kysely);
    const { result, pages } = await costs.measure(() => queueSnapshotTable(costs.kysely).make());
    expect(pages).toBeLessThan(1_000);
    const queue = result.find(({ pool }) => pool === 'seeded');
    expect(queue?.contenders).toHaveLength(50);
    expect(queue?.contenders.reduce((sum, contenders) => sum + contenders.projects, 0)).toBe(projects);
  });
});
