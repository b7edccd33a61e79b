import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { EndpointStatus } from '../../db/attempts/endpoint-state-table.ts';
import { engineBoardTable } from '../../db/attempts/engine-board-table.ts';
import { connectWithPlanCosts } from '../../db/connection/plan-costs.fixture.ts';
import { builtInCatalogue } from '../../domain/catalogue.ts';
import { uuidFromId } from '../../domain/id.ts';
import { freeSlot } from '../attempts/free-slot.ts';
import { beginOrThrow, operator, useWorld } from '../operations.fixture.ts';
import { cancelTask } from '../tasks/cancel-task.ts';
import { readEngineBoard } from './read-engine-board.ts';
import { setDrained } from './set-drained.ts';

const world = useWorld();

const status: EndpointStatus = {
  pool: 'wan',
  slots: 2,
  isAccepting: true,
  reason: null,
  engine: 'cog',
  version: '0.23.1',
  models: null,
  latencyMilliseconds: 12,
};

/** Returns dependencies with these endpoints in the models file. */
const withEndpoints = (...ids: string[]) => ({
  ...world,
  catalogue: () => builtInCatalogue,
  endpoints: () => ids.map((id) => ({ id, pool: 'wan', engine: 'cog' })),
});

async function endpointOnBoard(id: string, ...inFile: string[]) {
  const { pools } = await readEngineBoard(withEndpoints(...(inFile.length > 0 ? inFile : [id])));
  return pools.flatMap(({ endpoints }) => endpoints).find((endpoint) => endpoint.id === id);
}

describe('the board shows an endpoint', () => {
  it('that no worker has probed, or probes no more, as unprobed', async () => {
    expect(await endpointOnBoard('new-1')).toMatchObject({ state: 'unprobed', since: null, engine: 'cog', slots: [] });
    const seenAt = world.clock.now();
    await world.db.endpointStates.recordStatus('left-1', status, seenAt);
    await world.moveClock(31);
    expect(await endpointOnBoard('left-1')).toMatchObject({ state: 'unprobed', since: seenAt });
  });

  it('as accepting or unreachable since the moment at which that changed, with the reason', async () => {
    const acceptingAt = world.clock.now();
    await world.db.endpointStates.recordStatus('gpu-1', status, acceptingAt);
    await world.moveClock(10);
    await world.db.endpointStates.recordStatus('gpu-1', status, world.clock.now());
    expect(await endpointOnBoard('gpu-1')).toMatchObject({
      state: 'accepting',
      since: acceptingAt,
      reason: null,
      version: '0.23.1',
      latencyMilliseconds: 12,
    });
    await world.moveClock(10);
    const awayAt = world.clock.now();
    const away = { ...status, isAccepting: false, reason: 'it does not respond' };
    await world.db.endpointStates.recordStatus('gpu-1', away, awayAt);
    await world.moveClock(10);
    await world.db.endpointStates.recordStatus('gpu-1', { ...away, reason: 'it is loading' }, world.clock.now());
    expect(await endpointOnBoard('gpu-1')).toMatchObject({
      state: 'unreachable',
      since: awayAt,
      reason: 'it is loading',
    });
  });

  it('as tripped until its time is over, and then on probation', async () => {
    const { endpointStates } = world.db;
    await endpointStates.recordStatus('gpu-2', status, world.clock.now());
    for (let count = 0; count < 2; count += 1) {
      await world.moveClock(1);
      const at = world.clock.now();
      await endpointStates.noteFailure('gpu-2', { code: 'engine_crashed', beganAt: at, at });
    }
    const failedAt = world.clock.now();
    const trippedUntil = new Date(failedAt.getTime() + 20_000);
    await endpointStates.tripUntil('gpu-2', trippedUntil);
    expect(await endpointOnBoard('gpu-2')).toMatchObject({
      state: 'tripped',
      since: failedAt,
      reason: '2 jobs failed in a row.',
      lastFailure: 'engine_crashed',
      lastFailureAt: failedAt,
      trippedUntil,
    });
    await world.moveClock(21);
    expect(await endpointOnBoard('gpu-2')).toMatchObject({ state: 'probation', since: trippedUntil });
  });

  it('as draining while jobs run there and as drained afterwards, and as accepting once it is resumed', async () => {
    const dependencies = withEndpoints('gpu-3');
    await world.db.endpointStates.recordStatus('gpu-3', status, world.clock.now());
    const task = await world.accept(await world.newProject(), { request: { pool: 'wan' } });
    const { attempt } = await beginOrThrow(world, task, { endpointId: 'gpu-3', slot: 0 });
    const drainedAt = world.clock.now();
    await setDrained(dependencies, operator, 'gpu-3', drainedAt);
    expect(await endpointOnBoard('gpu-3')).toMatchObject({ state: 'draining', since: drainedAt });
    await freeSlot(world, attempt);
    expect(await endpointOnBoard('gpu-3')).toMatchObject({ state: 'drained', since: drainedAt });
    await setDrained(dependencies, operator, 'gpu-3', null);
    expect(await endpointOnBoard('gpu-3')).toMatchObject({ state: 'accepting' });
  });

  it('that has left the models file only while jobs run there', async () => {
    await world.db.endpointStates.recordStatus('gone-1', status, world.clock.now());
    expect(await endpointOnBoard('gone-1', 'other')).toBe(undefined);
    const task = await world.accept(await world.newProject(), { request: { pool: 'wan' } });
    await beginOrThrow(world, task, { endpointId: 'gone-1', slot: 0 });
    expect(await endpointOnBoard('gone-1', 'other')).toMatchObject({
      state: 'draining',
      reason: 'It was removed from the models file.',
    });
  });
});

it('a slot is busy with a task and its progress, draining after a cancel, and idle since it was freed', async () => {
  const { db, clock } = world;
  await db.endpointStates.recordStatus('gpu-4', status, clock.now());
  await db.leases.ensureSlots('gpu-4', 3);
  const project = await world.newProject();
  const task = await world.accept(project, { request: { pool: 'wan' } });
  const since = clock.now();
  const { attempt } = await beginOrThrow(world, task, { endpointId: 'gpu-4', slot: 1 });
  const live = { taskId: task.id, stage: 'rendering', progress: 40, progressSource: 'engine' } as const;
  await db.liveEntries.write([{ ...live, attempt: 1 }], clock.now());
  const slots = async () => (await endpointOnBoard('gpu-4'))?.slots;
  const idle = { state: 'idle', taskId: null, projectId: null, livemode: null, progress: null };
  // The engine has two slots now; the third is left from before.
  expect(await slots()).toEqual([
    { index: 0, ...idle, since: null },
    { index: 1, state: 'busy', taskId: task.id, projectId: project.id, livemode: task.livemode, since, progress: 40 },
  ]);
  await cancelTask(world, task.id);
  expect((await slots())?.[1]).toMatchObject({ state: 'draining', taskId: task.id, projectId: null });
  await db.leases.free('gpu-4', 1, attempt.fencing);
  expect((await slots())?.[1]).toEqual({ index: 1, ...idle, since: expect.any(Date) });
});

describe('backlogs', () => {
  const waitingIn = async (pool: string) =>
    (await readEngineBoard(withEndpoints('gpu-1'))).pools.find(({ name }) => name === pool);

  it('count the tasks of a pool and of a project, and say since when the oldest waits', async () => {
    const project = await world.newProject({ runningLimit: 1 });
    const request = { pool: 'busy' };
    const first = await world.accept(project, { request });
    await world.moveClock(5);
    const second = await world.accept(project, { request });
    await world.moveClock(5);
    await world.accept(project, { request });
    // The first is admitted and waits for a slot.
    expect(await waitingIn('busy')).toMatchObject({ waiting: 3, oldestWaitingAt: first.createdAt, endpoints: [] });
    await beginOrThrow(world, first);
    expect(await waitingIn('busy')).toMatchObject({ waiting: 2, oldestWaitingAt: second.createdAt });
    const backlogs = await world.db.engineBoard.projectBacklogs(200);
    expect(backlogs.filter(({ projectId }) => projectId === project.id)).toEqual([
      {
        projectId: project.id,
        livemode: true,
        name: 'a project',
        running: 1,
        waiting: 2,
        oldestWaitingAt: second.createdAt,
        weight: 1,
      },
    ]);
    expect(backlogs.map(({ waiting }) => waiting)).toEqual(
      backlogs.map(({ waiting }) => waiting).toSorted((one, other) => other - one),
    );
  });

  it('cost as many pages to read if 20,000 tasks wait as if two do', async () => {
    const project = await world.newProject({ runningLimit: 0 });
    const task = await world.accept(project, { request: { pool: 'long' } });
    await world.accept(project, { request: { pool: 'long' } });
    const costs = connectWithPlanCosts(world.url);
    const board = engineBoardTable(costs.kysely);
    const measure = async () => {
      await sql`vacuum (analyze) open_tasks, pool_waiting, project_slots`.execute(world.db.kysely);
      const pages = [];
      for (const read of [() => board.slots(), () => board.poolBacklogs(), () => board.projectBacklogs(200)])
        pages.push((await costs.measure<unknown>(read)).pages);
      return pages;
    };
    await measure(); // the first use in a session also reads the catalogue
    const before = await measure();
    await sql`
      insert into open_tasks (id, project_id, livemode, pool, priority, status, attempt, restarts, checked_at)
      select (substr(id::text, 1, 24) || lpad(to_hex(number), 12, '0'))::uuid, project_id, livemode, pool, priority,
        status, attempt, restarts, checked_at
      from open_tasks, generate_series(1, 20000) number where id = ${uuidFromId('task', task.id)}`.execute(
      world.db.kysely,
    );
    await sql`update pool_waiting set waiting = waiting + 20000 where pool = 'long'`.execute(world.db.kysely);
    const after = await measure();
    await costs.close();
    // An index with more entries may be one level deeper, which is a page for each of its scans.
    for (const [index, pages] of after.entries()) expect(pages).toBeLessThanOrEqual((before[index] ?? 0) * 1.5 + 10);
  });
});
