import { type ApiClient, bodyOrThrow, createApiClient } from '@kinora/stack/harness/api-client';
import { insertProject } from '@kinora/stack/harness/insert-project';
import { startInstallation } from '@kinora/stack/harness/installation';
import { eventOf } from '@kinora/stack/harness/log-lines';
import { openDatabase } from '@kinora/stack/harness/open-database';
import type { Client } from 'pg';
import type { Bench, BenchOptions, BenchOutcome, BenchSize } from '../bench-outcome.ts';
import { growthOperations, request } from './growth-operations.ts';
import { judgeGrowth } from './judge-growth.ts';
import { type Measured, measureOperations } from './measure-operations.ts';
import { type Cost, smallestJudged } from './plan-cost.ts';
import { logPlans } from './plan-log.ts';
import {
  prepareSeeding,
  seedEndpoints,
  seedFinished,
  seedProjects,
  seedWaiting,
  settleTables,
  type Templates,
} from './seed-tables.ts';

/** Rows that are added to those of the state before. */
interface State {
  name: string;
  /** Waiting tasks of the measured project. */
  waiting?: number;
  /** Waiting tasks that are shared out to the other projects. */
  shared?: number;
  /** Completed tasks over 30 days, half of them of the measured project. */
  finished?: number;
}

const sizes: Record<BenchSize, { projects: number; endpoints: number; rounds: number; states: State[] }> = {
  quick: {
    projects: 1_000,
    endpoints: 100,
    rounds: 2,
    states: [{ name: '10⁴ waiting, 10⁴ over projects, 10⁴ finished', waiting: 1e4, shared: 1e4, finished: 1e4 }],
  },
  normal: {
    projects: 10_000,
    endpoints: 1_000,
    rounds: 3,
    states: growingStates({ name: '10⁶ finished', finished: 1e6 }),
  },
  full: {
    projects: 10_000,
    endpoints: 1_000,
    rounds: 3,
    states: growingStates({ name: '10⁷ finished', finished: 1e7 }),
  },
};

function growingStates({ name, finished }: { name: string; finished: number }): State[] {
  return [
    { name: '10⁴ waiting', waiting: 1e4 },
    { name: '10⁶ waiting', waiting: 1e6 - 1e4 },
    { name: '+ 10⁶ over projects', shared: 1e6 },
    { name: `+ ${name}`, finished },
  ];
}

/** In milliseconds. The service's limit of 15 s would end the slowest statements, of which Postgres logs no plan. */
const patience = 600_000;

export const growth: Bench = {
  about: 'how many pages and rows each operation reads in large tables',
  run,
};

async function run({ size, report, openStack }: BenchOptions): Promise<BenchOutcome> {
  const { stack, seed } = await openStack();
  const { projects, endpoints, rounds, states } = sizes[size];
  // This connection starts before auto_explain is on, so its own statements are not logged.
  await using database = await openDatabase(stack);
  let failedStarts = 0;
  await using installation = await startInstallation({
    stack,
    seed,
    roles: [],
    environment: {
      KINORA_WAITING_LIMIT: '1000000000',
      // The first use of a connection also reads the catalogue. With two of them, one of three rounds meets a used one.
      KINORA_DATABASE_POOL_SIZE: '2',
      KINORA_DATABASE_URL: `${stack.info.databaseUrl}?statement_timeout=${patience}&query_timeout=${patience}`,
    },
    onLine: (_role, line) => {
      if (eventOf(line) === 'workflow.start_failed') failedStarts += 1;
    },
    onProgress: report,
  });
  await logPlans(database);
  await installation.start('api');
  const owner = createApiClient({ url: installation.url, key: installation.liveKey });
  const clientOf = async (name: string, running: number): Promise<ApiClient> =>
    createApiClient({ url: installation.url, key: await insertProject(owner, database, { name, running }) });
  const busy = await clientOf('busy', 1);
  const roomyName = 'roomy';
  const roomy = await clientOf(roomyName, 1);
  await database.query('update projects set waiting_limit = 1000000000');
  const unusedKeyId = bodyOrThrow(await busy.post<{ id: string }>('/v1/api-keys', { name: 'unused' })).id;
  const { busyProject, templates } = await createTemplates(busy, database);
  await prepareSeeding(database);
  await seedProjects(database, projects);
  await seedEndpoints(database, endpoints);
  const operations = growthOperations({ installation, database, busy, busyProject, roomy, roomyName, unusedKeyId });
  const measured: [string, Measured][] = [];
  // Each seed follows the one before in time: tasks that came in any other order would fill the pages of an index otherwise.
  const seeds = states
    .flatMap(({ waiting, shared }) => [waiting, shared])
    .filter((count) => count !== undefined).length;
  let seeded = 0;
  const nextSlice = () => ({ from: seeded / seeds, to: ++seeded / seeds });
  for (const state of states) {
    const startedAt = performance.now();
    const { name: label, waiting = 0, shared = 0, finished = 0 } = state;
    if (waiting > 0)
      await seedWaiting(database, templates, { count: waiting, isShared: false, label, slice: nextSlice() });
    if (shared > 0)
      await seedWaiting(database, templates, { count: shared, isShared: true, label, slice: nextSlice() });
    if (finished > 0) {
      await seedFinished(database, templates, finished);
      await installation.command('sum-usage');
    }
    await settleTables(database);
    report(`seeded ${state.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
    const parts = { stack, database, failedStarts: () => failedStarts, report };
    measured.push([state.name, await measureOperations(parts, operations, rounds)]);
  }
  for (const line of tableOf(measured)) report(line);
  const verdict = judgeGrowth(new Set(operations.filter(({ isHot }) => isHot).map(({ name }) => name)), measured);
  for (const line of verdict.lines) report(line);
  return { ...figuresOf(measured), checks: verdict.lines.length, failures: verdict.failures };
}

/** Creates the tasks that the seeded rows are copies of. The first one takes the only place, so the others wait. */
async function createTemplates(
  busy: ApiClient,
  database: Client,
): Promise<{ busyProject: string; templates: Templates }> {
  await busy.create(request);
  await busy.create(request);
  await busy.cancel((await busy.create(request)).task_id);
  const { rows } = await database.query<{ id: string; project_id: string; status: string }>(
    'select id, project_id, status from tasks order by id',
  );
  const [, waiting, ended] = rows;
  if (waiting?.status !== 'queued' || ended?.status !== 'cancelled')
    throw new Error('the first tasks are not as asked');
  return { busyProject: waiting.project_id, templates: { waitingTask: waiting.id, endedTask: ended.id } };
}

/** Returns a table of all states, with buffers and rows of each operation. */
function tableOf(measured: readonly [string, Measured][]): string[] {
  const [, last = new Map()] = measured.at(-1) ?? [];
  const names: string[] = [...last.keys()];
  const width = Math.max(...names.map((name) => name.length));
  return [
    ...measured.map(([state], index) => `state ${index + 1}: ${state}`),
    `${''.padEnd(width)}${measured.map((_, index) => `buffers ${index + 1}`.padStart(12) + `rows ${index + 1}`.padStart(11)).join('')}`,
    ...names.map((name) =>
      [
        name.padEnd(width),
        ...measured.map(([, costs]) => {
          const cost = costs.get(name);
          return `${cost?.buffers ?? '-'}`.padStart(12) + `${cost?.rows ?? '-'}`.padStart(11);
        }),
      ].join(''),
    ),
  ];
}

/** Judges the largest state, and shows all of them and how much each figure has grown from the first to the last. */
function figuresOf(measured: readonly [string, Measured][]): Pick<BenchOutcome, 'judged' | 'shown'> {
  const judged: BenchOutcome['judged'] = {};
  const shown: BenchOutcome['shown'] = {};
  const [, smallest] = measured[0] ?? [];
  const [, largest] = measured.at(-1) ?? [];
  for (const kind of ['buffers', 'rows'] as const satisfies (keyof Cost)[]) {
    for (const [state, costs] of measured)
      for (const [name, cost] of costs) shown[`${state}: ${name}: ${kind}`] = cost?.[kind] ?? 'not possible';
    for (const [name, cost] of largest ?? []) {
      if (!cost) continue;
      judged[`${name}: ${kind}`] = Math.max(smallestJudged, cost[kind]);
      const before = smallest?.get(name);
      if (before && measured.length > 1)
        shown[`growth of ${name}: ${kind}`] =
          Math.round((10 * Math.max(smallestJudged, cost[kind])) / Math.max(smallestJudged, before[kind])) / 10;
    }
  }
  return { judged, shown };
}
