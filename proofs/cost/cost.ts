import { type ApiClient, createApiClient } from '@kinora/stack/harness/api-client';
import { eventually } from '@kinora/stack/harness/eventually';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { isEmpty, openDatabase } from '@kinora/stack/harness/open-database';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import type { Proof, ProofOutcome, ProofSize } from '../proof.ts';
import { withProofStack } from '../proof-stack.ts';
import { serverPaths } from '../server-paths.ts';
import { withWorkflows } from '../with-workflows.ts';
import { judgeCost } from './judge-cost.ts';
import { readWal, walPosition } from './read-wal.ts';

export const proof: Proof = {
  name: 'cost',
  promise:
    'A plain task costs 17 history events and at most 5 commits; a task with one takeover at most 25 history events.',
  covers: [
    ...serverPaths(`activities/ api/hooks/ api/routes/create db/ live/ operations/ relay/ workflows/`),
    'package-lock.json',
  ],
  minutes: 2,
  run: (size, report) => withProofStack('cost', report, (stack) => run(stack, size, report)),
};

const tasks: Record<ProofSize, number> = { smoke: 4, ci: 20, full: 200 };
const small = { prompt: 'A hill at dusk', ...smallestVideo };
const long = { ...small, aspect_ratio: '16:9', duration: 10 };

async function run(stack: Stack, size: ProofSize, report: (line: string) => void): Promise<ProofOutcome> {
  const installation = await startInstallation({ stack, limits: { creates: 100_000 }, onProgress: report });
  const database = await openDatabase(stack);
  const api = createApiClient({ url: installation.url, key: installation.testKey });
  const eventsOf = (taskIds: string[]) =>
    withWorkflows(stack, (workflow) =>
      Promise.all(taskIds.map(async (taskId) => (await workflow.getHandle(taskId).describe()).historyLength)),
    );
  try {
    // The first task is not measured: it pays for connections, query plans and the pages of new tables.
    await complete(api, (await api.create(small)).task_id);
    const plain = await runPlain(api, database, tasks[size], report);
    const events = await eventsOf(plain.taskIds);
    const takenOver = size === 'smoke' ? [] : [await runTakenOver(installation, api, database, report)];
    const [eventsWithTakeover = null] = await eventsOf(takenOver);
    return judgeCost({ events, eventsWithTakeover, wal: plain.wal });
  } finally {
    await database.end();
    await installation.close();
  }
}

/**
 * Runs tasks one after the other while the installation does nothing else, and reads the write-ahead log of that time.
 */
async function runPlain(api: ApiClient, database: Client, count: number, report: (line: string) => void) {
  const from = await walPosition(database);
  const taskIds: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { task_id: taskId } = await api.create(small);
    await complete(api, taskId);
    taskIds.push(taskId);
    if (index % 5 === 4) report(`${index + 1} of ${count} plain tasks`);
  }
  // The relay deletes outbox rows in batches, a moment later.
  await eventually('an empty outbox', () => isEmpty(database, 'select 1 from outbox limit 1'));
  return { taskIds, wal: await readWal(database, from, await walPosition(database)) };
}

/** Runs a task whose worker is killed while it renders. */
async function runTakenOver(
  installation: Installation,
  api: ApiClient,
  database: Client,
  report: (line: string) => void,
): Promise<string> {
  const { task_id: taskId } = await api.create(long);
  // The join checks the status, because live entries of the plain tasks may still exist; only this task is in progress.
  const rendering = `select 1 from live_entries join tasks on tasks.id = live_entries.task_id
    where status = 'in_progress' and live_entries.stage = 'rendering' and progress between 1 and 60`;
  await eventually('a task that renders', async () => !(await isEmpty(database, rendering)));
  report('killing the worker while it renders');
  await installation.stop('worker', 'SIGKILL');
  await installation.start('worker');
  await complete(api, taskId);
  return taskId;
}

async function complete(api: ApiClient, taskId: string): Promise<void> {
  const { end } = await api.follow(taskId);
  if (end.status !== 'completed') throw new Error(`${taskId} is ${end.status}`);
}
