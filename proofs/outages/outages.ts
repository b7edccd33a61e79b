import { join } from 'node:path';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { forEachConcurrently } from '@kinora/stack/harness/for-each-concurrently';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { type ModelsFile, smallestModel, smallestShape, writeModelsFile } from '@kinora/stack/harness/models-file';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import { makeVideo } from '@kinora/stack/harness/sample-videos';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { type StubEngine, startStubEngine } from '@kinora/stack/harness/stub-engine';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { Proof, ProofOutcome } from '../proof.ts';
import { judgeOutages } from './judge-outages.ts';
import type { EngineEvidence, Evidence, Span, TaskEvidence } from './outages-evidence.ts';
import { type OutagesSize, sizes } from './outages-size.ts';
import { watchStalls } from './watch-stalls.ts';

export const proof: Proof = {
  name: 'outages',
  promise:
    'Endpoints that die, stall or run out of memory cost attempts, but never tasks, and healthy endpoints stay busy.',
  minutes: 3,
  run: (stack, { size, report }) => run(stack, sizes[size], report),
};

const jobMilliseconds = 2_000;
const slots = 2;
const pools = ['east', 'west'] as const;
type Pool = (typeof pools)[number];

/** Each pool has two healthy endpoints, and one or two that fail. */
const endpoints: { name: string; pool: Pool; fault: NonNullable<EngineEvidence['fault']>['kind'] | null }[] = [
  { name: 'east-1', pool: 'east', fault: null },
  { name: 'east-2', pool: 'east', fault: 'killed' },
  { name: 'east-3', pool: 'east', fault: null },
  { name: 'west-1', pool: 'west', fault: null },
  { name: 'west-2', pool: 'west', fault: 'stalled' },
  { name: 'west-3', pool: 'west', fault: 'out of memory' },
  { name: 'west-4', pool: 'west', fault: null },
];
type RunningEndpoint = (typeof endpoints)[number] & { engine: StubEngine };

/** A new worker gets its locks within a second after the old one has ended, and probes its endpoints at once. */
const settleMilliseconds = 3_000;

interface Parts {
  installation: Installation;
  api: ApiClient;
  database: Client;
  running: RunningEndpoint[];
  report: (line: string) => void;
}

async function run(stack: Stack, size: OutagesSize, report: (line: string) => void): Promise<ProofOutcome> {
  const video = await makeVideo(join(stack.info.folder, 'videos'), 'lime', smallestShape);
  const outputOf = (prompt: string): Buffer | null => (prompt === promptOf.video ? video : null);
  const running = await Promise.all(
    endpoints.map(async (endpoint) => ({
      ...endpoint,
      engine: await startStubEngine({ slots, jobMilliseconds, outputOf }),
    })),
  );
  const installation = await startInstallation({
    stack,
    roles: ['worker', 'relay', 'api'],
    limits: { creates: 10_000, reads: 100_000, running: 1_000, waiting: 100_000 },
    environment: {
      KINORA_MODELS_FILE: await writeModelsFile(join(stack.info.folder, 'models.yaml'), modelsFileOf(running)),
      KINORA_STALL_SECONDS: '5',
    },
    onProgress: report,
  });
  const database = await openDatabase(stack);
  const stalls = await watchStalls(join(stack.info.folder, 'stalls'));
  const api = createApiClient({ url: installation.url, key: installation.liveKey, patientWith: [429] });
  try {
    const evidence = await gather({ installation, api, database, running, report }, size);
    return judgeOutages({ ...evidence, stalls: await stalls.end() }, size.planned);
  } finally {
    await stalls.end();
    await database.end();
    await installation.close();
    await Promise.all(running.map(({ engine }) => engine.close()));
  }
}

const promptOf = { video: 'A hill at dusk', rejection: 'A hill that is rejected' };

async function gather(parts: Parts, size: OutagesSize): Promise<Omit<Evidence, 'stalls'>> {
  const { running, report } = parts;
  await waitUntilAccepting(parts);
  const startedAt = Date.now();
  const { tasks: count, videos } = size.planned;
  const wanted = Array.from({ length: count }, (_, index) => ({
    pool: pools[index % pools.length] ?? 'east',
    wanted: Math.floor((index * videos) / count) < Math.floor(((index + 1) * videos) / count) ? 'video' : 'rejection',
  })) satisfies Pick<TaskEvidence, 'pool' | 'wanted'>[];
  const [created, faults, restarts] = await Promise.all([
    createTasks(parts, wanted),
    breakEndpoints(parts, size, startedAt),
    restartWorkers(parts, size, startedAt),
  ]);
  await waitForEnds(parts, 'all outages are over; waiting for the remaining tasks');
  const crowded = Object.fromEntries(pools.map((pool) => [pool, crowdedSpan(created, running, pool)]));

  report('waiting until every endpoint accepts jobs');
  await waitUntilAccepting(parts);
  const before = new Map(running.map(({ name, engine }) => [name, engine.jobs.length]));
  const more = running.flatMap(({ pool }) =>
    Array.from({ length: 3 * slots }, () => ({ pool, wanted: 'rejection' as const })),
  );
  const last = await createTasks(parts, more);
  await waitForEnds(parts, 'waiting for the last tasks');
  return {
    tasks: await readTasks(parts, [...created, ...last]),
    engines: running.map(({ name, pool, engine }) => ({
      name,
      pool,
      slots: engine.slots,
      fault: faults.get(name) ?? null,
      jobs: engine.jobs,
      jobsAfterwards: engine.jobs.length - (before.get(name) ?? 0),
    })),
    restarts,
    crowded,
  };
}

type CreatedTask = Pick<TaskEvidence, 'taskId' | 'pool' | 'wanted'> & { createdAt: number };

async function createTasks(
  parts: Parts,
  wanted: readonly Pick<TaskEvidence, 'pool' | 'wanted'>[],
): Promise<CreatedTask[]> {
  const created: CreatedTask[] = [];
  await forEachConcurrently(8, wanted, async (one) => {
    const fields = { prompt: promptOf[one.wanted], model: one.pool, ...smallestVideo };
    const { task_id: taskId } = await parts.api.create(fields);
    created.push({ ...one, taskId, createdAt: Date.now() });
  });
  parts.report(`${created.length} tasks were created`);
  return created;
}

async function breakEndpoints({ running, report }: Parts, size: OutagesSize, startedAt: number) {
  const faults = new Map<string, NonNullable<EngineEvidence['fault']>>();
  await Promise.all(
    running.map(async ({ name, fault, engine }) => {
      if (fault === null) return;
      await at(startedAt, size.faultsAt);
      // The fault waits until the endpoint runs a job, because a fault without a job proves nothing.
      await eventually('a job', () => engine.jobs.some(({ endedAt }) => endedAt === null));
      const from = Date.now();
      report(`${name} is ${fault}`);
      if (fault === 'killed') {
        await engine.kill();
        await at(startedAt, size.killedUntil);
        await engine.revive();
      } else {
        engine.fault = fault === 'stalled' ? 'stall' : 'out-of-memory';
        await at(startedAt, size.stalledAndOutOfMemoryUntil);
        engine.fault = null;
      }
      report(`${name} has recovered`);
      faults.set(name, { kind: fault, span: { from, until: Date.now() } });
    }),
  );
  return faults;
}

async function restartWorkers({ installation, report }: Parts, size: OutagesSize, startedAt: number): Promise<Span[]> {
  const restarts: Span[] = [];
  for (const seconds of size.restartsAt) {
    await at(startedAt, seconds);
    const from = Date.now();
    await installation.stop('worker', 'SIGTERM');
    const stoppedAt = Date.now();
    await installation.start('worker');
    restarts.push({ from, until: Date.now() + settleMilliseconds });
    report(
      `the worker was restarted: it stopped in ${stoppedAt - from} ms and started in ${Date.now() - stoppedAt} ms`,
    );
  }
  return restarts;
}

async function at(startedAt: number, seconds: number): Promise<void> {
  await pause(Math.max(0, startedAt + seconds * 1000 - Date.now()));
}

/** Returns the time from the creation of the last task until the last task of the pool began for the first time. */
function crowdedSpan(created: readonly CreatedTask[], running: readonly RunningEndpoint[], pool: string): Span {
  const taskIds = new Set(created.filter((task) => task.pool === pool).map(({ taskId }) => taskId));
  const first = new Map<string, number>();
  for (const { jobs } of running.map(({ engine }) => engine)) {
    for (const { taskId, beganAt } of jobs) {
      if (taskIds.has(taskId)) first.set(taskId, Math.min(beganAt, first.get(taskId) ?? beganAt));
    }
  }
  return { from: Math.max(...created.map(({ createdAt }) => createdAt)), until: Math.max(...first.values()) };
}

async function waitUntilAccepting({ database }: Parts): Promise<void> {
  const ids = endpoints.map(({ name }) => name);
  const accepting = 'select 1 from endpoint_states where endpoint_id = any($1) and is_open';
  const areAccepting = async () => (await database.query(accepting, [ids])).rowCount === ids.length;
  await eventually('endpoints that all accept jobs', areAccepting);
}

async function waitForEnds({ database, report }: Parts, what: string): Promise<void> {
  const isActive = `status in ('queued', 'in_progress')`;
  let last = Date.now();
  report(what);
  const haveEnded = async (): Promise<boolean> => {
    const { rows } = await database.query<{ left: number }>(
      `select count(*)::integer as left from tasks where ${isActive}`,
    );
    const left = rows[0]?.left ?? 0;
    if (Date.now() - last > 10_000) {
      report(`${left} tasks left`);
      last = Date.now();
    }
    return left === 0;
  };
  await eventually('the end of all tasks', haveEnded, { timeoutMilliseconds: 2 * hangLimitMilliseconds });
}

async function readTasks(parts: Parts, created: readonly CreatedTask[]): Promise<TaskEvidence[]> {
  const tasks: TaskEvidence[] = [];
  await forEachConcurrently(4, created, async ({ taskId, pool, wanted }) => {
    const { status, error } = await parts.api.read(taskId);
    const videoBytes = status === 'completed' ? (await parts.api.content(taskId)).length : 0;
    tasks.push({ taskId, pool, wanted, status, code: error?.code ?? null, videoBytes });
  });
  return tasks;
}

/** Returns a models file with pools of stub engines that speak the built-in engine's protocol. */
function modelsFileOf(running: readonly RunningEndpoint[]): ModelsFile {
  return {
    models: pools.map((pool) => ({ id: pool, pool, ...smallestModel })),
    pools: pools.map((pool) => ({
      id: pool,
      engine: 'animatic',
      endpoints: running
        .filter((endpoint) => endpoint.pool === pool)
        .map(({ name, engine }) => ({ id: name, url: engine.url })),
    })),
    allow_gaps: true,
  };
}
