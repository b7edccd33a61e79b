import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@kinora/stack/harness/eventually';
import { NativeConnection, Worker } from '@temporalio/worker';
import { type Kysely, sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Schema } from '../../server/src/db/connection/schema.ts';
import { createTestDatabase } from '../../server/src/db/database.fixture.ts';
import { systemClock } from '../../server/src/domain/clock.ts';
import { strayId } from '../../server/src/domain/id.fixture.ts';
import { uuidFromId } from '../../server/src/domain/id.ts';
import { animatic } from '../../server/src/domain/model.ts';
import { plainRequest } from '../../server/src/domain/task.fixture.ts';
import { connectTemporal } from '../../server/src/operations/queue/temporal.fixture.ts';
import { acceptTask } from '../../server/src/operations/tasks/accept-task.ts';
import { cancelTask } from '../../server/src/operations/tasks/cancel-task.ts';
import { createLog } from '../../server/src/telemetry/log.ts';
import { openWorkflowBundle } from '../../server/src/wiring/workflow-bundle.ts';
import { installQuietRuntime } from '../../server/src/workflows/workflow-runtime.fixture.ts';
import { type Foundation, foundationOf, type Surroundings, startWorkerProcess } from '../installation.ts';
import { newProcess, type Turns } from '../scheduler.ts';
import { startSimulatedDatabases } from '../simulated-databases.ts';
import { SimulatedEngine } from '../simulated-engine.ts';
import { SimulatedLocks } from '../simulated-locks.ts';
import { SimulatedPostgres } from '../simulated-postgres.ts';
import { SimulatedStore } from '../simulated-store.ts';
import { createWorld } from '../world.ts';
import { type Calls, meetFates, type ScriptedLife, type Side, scriptedLives } from './scripted-lives.fixture.ts';

vi.mock('@temporalio/workflow', () => import('./workflow-names.ts'));

/** What a life came to: the calls of its activities and their outcomes, and what the rows say in the end. */
interface Lived {
  calls: readonly string[];
  rows: unknown;
}

/** Temporal suggests a new run after 4,096 events or 4 MB: an input of 30 kB gets there with few events. */
const longId = 'x'.repeat(30_000);
const longOne = { workflowId: 'long', taskQueue: 'workflows', args: [{ taskId: longId, pool: 'up' }] };
const longLife = 'continue as new';
const pools = { up: 20, down: 1 };
const log = createLog({ level: 'silent', roles: [] });

it('the simulated Temporal runs the same activities to the same ends as the real one, and leaves the same rows', async () => {
  const simulated = await liveSimulated();
  const real = await liveReal();
  expect(Object.fromEntries(simulated)).toEqual(Object.fromEntries(real));
});

async function liveSimulated(): Promise<Map<string, Lived>> {
  const databases = await startSimulatedDatabases();
  onTestFinished(() => databases.close());
  const lived = new Map<string, Lived>();
  for (const life of scriptedLives) {
    const postgres = await SimulatedPostgres.connect(await databases.create());
    const calls: Calls = new Map();
    const world = await createWorld(postgres, {
      director: { choose: ([step]) => step ?? 'timer', before: () => 'go-on', after: () => 'go-on' },
      pools: { up: [pools.up], down: [pools.down] },
      slots: ['worker 0'],
      onActivities: meetFates(calls, async () => life, new Promise(() => undefined)),
    });
    const { scheduler, visitor, temporal } = world;
    const clock = scheduler.clockOf(visitor);
    const foundation = foundationOf(world, visitor);
    for (const { pool, engine } of world.engines.values()) engine.isUp = pool === 'up';
    let taskId: string | null | undefined;
    const side: Side = {
      until: async (id, status) => {
        while ((await foundation.db.tasks.find(id))?.status !== status) await clock.wait(100);
      },
      cancel: (id) => cancel(foundation, id),
      startAgain: (id) => foundation.workflows.start(startOf(id, life)),
      terminate: async (id) => temporal.terminate(id),
      startLongOne: async () => temporal.start('generateVideo', { ...longOne, fairnessKey: '', mayRepeat: false }),
      replaceWorker: async () => {
        await world.shutDown('worker 0');
        world.restartDead();
      },
    };
    const living = live(foundation, life, side).then((id) => (taskId = id));
    const isOver = (): boolean => taskId !== undefined && temporal.openWorkflows().length === 0;
    const isInTime = await scheduler.run(isOver, scheduler.milliseconds + 600_000);
    expect({ life: life.name, isInTime }).toEqual({ life: life.name, isInTime: true });
    const id = await living;
    for (let rounds = 0; rounds < 60 && !(await isAtRest(postgres.judge, calls, life, id)); rounds += 1)
      await scheduler.run(() => false, scheduler.milliseconds + 1_000);
    lived.set(life.name, await result(postgres.judge, calls, life, id));
    await world.close();
    await postgres.close();
  }
  return lived;
}

async function liveReal(): Promise<Map<string, Lived>> {
  installQuietRuntime();
  const [database, temporal, workflowBundle] = await Promise.all([
    createTestDatabase(),
    connectTemporal({ hasWorkers: true }),
    openWorkflowBundle(),
  ]);
  const connection = await NativeConnection.connect({ address: temporal.address });
  const scratch = await mkdtemp(join(tmpdir(), 'kinora-contract-'));
  const over = Promise.withResolvers<void>();
  const { db } = database;
  const workflows = temporal.workflowsFor(db, log);
  const calls: Calls = new Map();
  const lifeOf = async (id: string): Promise<ScriptedLife | null> => {
    const name = id === longId ? longLife : (await db.tasks.find(id))?.metadata['life'];
    return scriptedLives.find((life) => life.name === name) ?? null;
  };
  const createWorker = meetFates(
    calls,
    lifeOf,
    over.promise,
  )((options) => Worker.create({ connection, namespace: temporal.namespace, shutdownGraceTime: 0, ...options }));
  const closers = new Map<string, () => Promise<void>>();
  /** Starts a worker process. The SDK allows one worker for each queue in a process of Node. */
  const start = (name: string): void => {
    const process = newProcess(name);
    const storage = surroundings.store.storageFor(process);
    const foundation = { process, processId: randomUUID(), clock: systemClock, db, storage, workflows };
    closers.set(name, startWorkerProcess(surroundings, foundation, createWorker, workflowBundle));
  };
  const surroundings = realSurroundings(scratch);
  start('worker 0');
  const visitor = newProcess('visitor');
  const foundation: Foundation = {
    process: visitor,
    processId: randomUUID(),
    clock: systemClock,
    db,
    storage: surroundings.store.storageFor(visitor),
    workflows,
  };
  const lived = new Map<string, Lived>();
  const liveOne = async (life: ScriptedLife): Promise<void> => {
    const side: Side = {
      until: async (id, status) =>
        void (await eventually(status, async () => (await db.tasks.find(id))?.status === status)),
      cancel: (id) => cancel(foundation, id),
      startAgain: (id) => workflows.start(startOf(id, life)),
      terminate: async (id) => void (await temporal.client.workflow.getHandle(id).terminate()),
      startLongOne: async () => void (await temporal.client.workflow.start('generateVideo', longOne)),
      replaceWorker: async () => {
        await closers.get('worker 0')?.();
        closers.delete('worker 0');
        start('worker 1');
      },
    };
    const id = await live(foundation, life, side);
    await temporal.client.workflow.getHandle(id ?? longOne.workflowId).result();
    await eventually('the task holds no slot', () => isAtRest(db.kysely, calls, life, id));
    lived.set(life.name, await result(db.kysely, calls, life, id));
  };
  const replacing = scriptedLives.filter(({ name }) => name === 'worker shutdown');
  try {
    await Promise.all(scriptedLives.filter((life) => !replacing.includes(life)).map(liveOne));
    over.resolve();
    for (const life of replacing) await liveOne(life);
  } finally {
    over.resolve();
    await Promise.all([...closers.values()].map((close) => close()));
    await connection.close();
    await temporal.close();
    await database.drop();
    await rm(scratch, { recursive: true, force: true });
  }
  return lived;
}

/** Lets a life happen; returns the id of its task. */
async function live(foundation: Foundation, life: ScriptedLife, side: Side): Promise<string | null> {
  const { db, workflows, clock } = foundation;
  if (life.hasNoTask) {
    await side.startLongOne();
    return null;
  }
  const now = clock.now();
  const project = await db.transaction(async (tables) => {
    const { id } = await tables.projects.insert(life.name, now);
    return id;
  });
  const caller = { projectId: project, livemode: true, keyId: strayId('key', now) };
  const request = {
    ...plainRequest,
    pool: life.pool ?? 'up',
    model: life.pool ?? 'up',
    prompt: `takes ${life.seconds ?? 1} s`,
    metadata: { life: life.name },
  };
  const { task } = await acceptTask({ db, workflows, clock }, caller, strayId('task', now), request);
  await workflows.start(startOf(task.id, life));
  await life.happens?.(side, task.id);
  return task.id;
}

/** Cancels as the API does, and as the relay then tells Temporal. */
async function cancel(foundation: Foundation, taskId: string): Promise<void> {
  await cancelTask(foundation, taskId);
  await foundation.workflows.cancel(taskId);
}

function startOf(taskId: string, life: ScriptedLife) {
  const pool = life.pool ?? 'up';
  return { kind: 'start', outboxId: '0', taskId, projectId: taskId, pool, weight: 1, enter: 'generate' } as const;
}

function realSurroundings(scratch: string): Surroundings {
  const turns: Turns = {
    get milliseconds() {
      return Date.now();
    },
    changes: 0,
    call: async (_process, _name, effect) => effect(),
    clockOf: () => systemClock,
  };
  const engineOf = (pool: keyof typeof pools) => {
    const engine = new SimulatedEngine(turns, { slots: pools[pool] });
    engine.isUp = pool === 'up';
    return [`${pool}-0`, { pool, engine }] as const;
  };
  return {
    turns,
    locks: new SimulatedLocks(turns),
    store: new SimulatedStore(turns),
    engines: new Map([engineOf('up'), engineOf('down')]),
    catalogue: { models: Object.keys(pools).map((pool) => ({ ...animatic, id: pool, pool })) },
    receive: () => 200,
    scratch,
    onFinding: () => undefined,
  };
}

/** Whether the slot of the task is free, and all its activities have ended that can. */
async function isAtRest(db: Kysely<Schema>, calls: Calls, life: ScriptedLife, taskId: string | null): Promise<boolean> {
  const id = taskId && uuidFromId('task', taskId);
  const leases = await db.selectFrom('leases').select('slot').where('task_id', '=', id).execute();
  const isCalled = life.fates === undefined && calls.get(life.name)?.some((call) => call.endsWith(': no end'));
  return leases.length === 0 && !isCalled;
}

async function result(db: Kysely<Schema>, calls: Calls, life: ScriptedLife, taskId: string | null): Promise<Lived> {
  if (taskId === null) return { calls: calls.get(life.name) ?? [], rows: null };
  const id = uuidFromId('task', taskId);
  const { rows } = await sql`
    select status, stage, attempt, failed_attempts, restarts,
      (select json_agg(outcome order by attempt) from attempts where task_id = ${id}) as outcomes,
      (select json_agg(type order by type) from events where task_id = ${id}) as events,
      (select count(*)::int from usage where task_id = ${id}) as usage,
      (select count(*)::int from leases where task_id = ${id}) as leases
    from tasks where id = ${id}`.execute(db);
  return { calls: calls.get(life.name) ?? [], rows };
}
