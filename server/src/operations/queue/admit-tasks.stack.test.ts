import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { admissionTable } from '../../db/queue/admission-table.ts';
import { createWorld, inLanes, operator, useWorld, videoOf } from '../operations.fixture.ts';
import { cancelProjectTasks, setProject } from '../projects/set-project.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { endTask, failTask } from '../tasks/end-task.ts';

const world = useWorld(25);

async function slotCounts(project: Project) {
  const { running, waiting } = await world.slotsOf(project);
  return { running, waiting };
}

async function acceptMany(project: Project, count: number) {
  const tasks = [];
  for (let index = 0; index < count; index += 1) {
    await world.moveClock(0.001); // ids of the same millisecond have a random order
    tasks.push(await world.accept(project));
  }
  return tasks;
}

describe('admission', () => {
  it('admission never exceeds the cap while 100 tasks come and go at once, and the counters end up equal to the rows', async () => {
    const own = await createWorld(25);
    try {
      const project = await own.newProject({ runningLimit: 3 });
      // Postgres itself refuses every commit that would exceed the cap.
      await sql`alter table project_slots add constraint cap_holds check (running <= 3)`.execute(own.db.kysely);
      let isOver = false;
      let highest = 0;
      const watching = (async () => {
        while (!isOver) {
          const counted = await sql<{
            running: number;
          }>`select count(admitted_at)::int as running from open_tasks`.execute(own.db.kysely);
          highest = Math.max(highest, counted.rows[0]?.running ?? 0);
          // Read without a lock while all of them change, the counters still agree with the rows.
          expect(await own.db.projectSlots.miscounted({ first: project.id, last: project.id })).toEqual([]);
        }
      })();
      await inLanes(20, 100, async (index) => {
        const task = await own.accept(project);
        if (index % 2 === 0) await cancelTask(own, task.id);
        else if (index % 3 === 0) await failTask(own, task.id, { code: 'internal_error', stage: 'waiting' });
      });
      isOver = true;
      await watching;
      expect(highest).toBe(3);
      await own.expectCountersToBeRight();
      expect(await own.slotsOf(project)).toMatchObject({ running: 3, waiting: 30 });
    } finally {
      await own.close();
    }
  });

  it('running tasks above a lowered cap drain by themselves', async () => {
    const project = await world.newProject({ runningLimit: 4 });
    const tasks = await acceptMany(project, 6);
    await setProject(world, operator, project.id, { runningLimit: 2 });
    const seen = [];
    for (const task of tasks.slice(0, 4)) {
      seen.push(await slotCounts(project));
      await failTask(world, task.id, { code: 'internal_error', stage: 'waiting' });
    }
    seen.push(await slotCounts(project));
    expect(seen).toEqual([
      { running: 4, waiting: 2 },
      { running: 3, waiting: 2 },
      { running: 2, waiting: 2 },
      { running: 2, waiting: 1 },
      { running: 2, waiting: 0 },
    ]);
  });

  it('a raised cap admits waiting tasks at once, oldest first', async () => {
    const project = await world.newProject({ runningLimit: 0 });
    const tasks = await acceptMany(project, 5);
    await setProject(world, operator, project.id, { runningLimit: 3 });
    expect(await slotCounts(project)).toEqual({ running: 3, waiting: 2 });
    const admitted = await Promise.all(
      tasks.map(async ({ id }) => (await world.db.tasks.find(id))?.counters.isAdmitted),
    );
    expect(admitted).toEqual([true, true, true, false, false]);
  });

  it('a suspended project admits nothing while its running tasks end, and admits tasks again when it is resumed', async () => {
    const project = await world.newProject({ runningLimit: 2 });
    const [first] = await acceptMany(project, 5);
    await setProject(world, operator, project.id, { isSuspended: true });
    if (first) await failTask(world, first.id, { code: 'internal_error', stage: 'waiting' });
    expect(await slotCounts(project)).toEqual({ running: 1, waiting: 3 });
    await setProject(world, operator, project.id, { runningLimit: 10 });
    expect(await slotCounts(project)).toEqual({ running: 1, waiting: 3 });
    await setProject(world, operator, project.id, { isSuspended: false });
    expect(await slotCounts(project)).toEqual({ running: 4, waiting: 0 });
  });

  it('cancelling all tasks of a suspended project ends every waiting and running one', async () => {
    const project = await world.newProject({ runningLimit: 2 });
    await acceptMany(project, 5);
    await setProject(world, operator, project.id, { isSuspended: true });
    expect(await cancelProjectTasks(world, operator, project.id)).toBe(5);
    expect(await world.slotsOf(project)).toMatchObject({ running: 0, waiting: 0 });
  });

  it('admission never admits more tasks than requested, whatever query plan Postgres chooses', async () => {
    const project = await world.newProject({ runningLimit: 0 });
    const tasks = await acceptMany(project, 12);
    await world.db.kysely.transaction().execute(async (transaction) => {
      for (const setting of [
        'enable_hashjoin',
        'enable_mergejoin',
        'enable_hashagg',
        'enable_sort',
        'enable_material',
      ]) {
        await sql`set local ${sql.raw(setting)} = off`.execute(transaction);
      }
      await sql`update project_slots set cap = 2 where cap = 0 and livemode`.execute(transaction);
      const at = world.clock.now();
      const admitted = await admissionTable(transaction).admit({ projectId: project.id, livemode: true }, at, 0);
      expect(admitted.map(({ taskId }) => taskId)).toEqual(tasks.slice(0, 2).map(({ id }) => id));
    });
  });

  it('admission agrees with a simple model over 100 random histories', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.constant({ kind: 'accept' as const }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(20) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(20) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('cap' as const), cap: fc.nat(4) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('suspend' as const), isSuspended: fc.boolean() }) },
    );
    const property = () =>
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), fc.nat(4), async (steps, firstCap) => {
        const project = await world.newProject({ runningLimit: firstCap });
        const model = { cap: firstCap, isSuspended: false, running: new Set<string>(), waiting: [] as string[] };
        const admit = (): void => {
          while (!model.isSuspended && model.running.size < model.cap && model.waiting.length > 0) {
            model.running.add(model.waiting.shift() ?? '');
          }
        };
        const leave = (id: string): void => {
          model.running.delete(id);
          model.waiting = model.waiting.filter((other) => other !== id);
          admit();
        };
        for (const { kind, ...rest } of steps) {
          const active = [...model.running, ...model.waiting];
          const chosen = 'which' in rest && active.length > 0 ? (active[rest.which % active.length] ?? null) : null;
          if (kind === 'accept') {
            if (model.isSuspended) continue;
            await world.moveClock(0.001);
            model.waiting.push((await world.accept(project)).id);
            admit();
          } else if (kind === 'end' && chosen !== null && model.running.has(chosen)) {
            const task = await world.db.tasks.find(chosen);
            if (task) await world.begin(task);
            const ending = { kind: 'complete', video: videoOf(chosen) } as const;
            const ended = await world.db.transaction((tables) =>
              endTask(tables, chosen, ending, {}, world.clock.now()),
            );
            if (!ended?.wasAdmitted) throw new Error('a running task did not end as one');
            leave(chosen);
          } else if (kind === 'cancel' && chosen !== null) {
            await cancelTask(world, chosen);
            leave(chosen);
          } else if ('cap' in rest) {
            model.cap = rest.cap;
            await setProject(world, operator, project.id, { runningLimit: rest.cap });
            admit();
          } else if ('isSuspended' in rest) {
            model.isSuspended = rest.isSuspended;
            await setProject(world, operator, project.id, { isSuspended: rest.isSuspended });
            admit();
          }
          expect(await slotCounts(project)).toEqual({ running: model.running.size, waiting: model.waiting.length });
        }
        for (const id of model.running) expect((await world.db.tasks.find(id))?.counters.isAdmitted).toBe(true);
        for (const id of model.waiting) expect((await world.db.tasks.find(id))?.counters.isAdmitted).toBe(false);
      });
    // Four at a time: each history has a project of its own.
    await Promise.all([1, 2, 3, 4].map(() => fc.assert(property(), { numRuns: 25 })));
    await world.expectCountersToBeRight();
  });
});
