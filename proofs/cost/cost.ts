import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { waitFor } from '@kinora/stack/harness/wait-for';
import type { Stack } from '@kinora/stack/parts/stack';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import { Client } from 'pg';
import type { Proof, ProofOutcome, ProofSize } from '../proof.ts';
import { withProofStack } from '../proof-stack.ts';
import { judgeCost } from './judge-cost.ts';
import { readWal, walPosition } from './read-wal.ts';
import { createTask, type TaskShape, waitForEnd } from './run-task.ts';

export const proof: Proof = {
  name: 'cost',
  promise: 'A plain task costs 17 events of history and at most 5 commits; with one takeover at most 25 events.',
  covers: ['server/src/', 'package-lock.json'],
  minutes: 1,
  run: (size, report) => withProofStack('cost', report, (stack) => run(stack, size, report)),
};

const tasks: Record<ProofSize, number> = { smoke: 4, ci: 20, full: 200 };
const small: TaskShape = { resolution: '480p', aspect_ratio: '1:1', duration: 1 };
const long: TaskShape = { resolution: '480p', aspect_ratio: '16:9', duration: 10 };

async function run(stack: Stack, size: ProofSize, report: (line: string) => void): Promise<ProofOutcome> {
  const installation = await startInstallation({ stack, onProgress: report });
  const database = new Client({ connectionString: stack.info.databaseUrl });
  await database.connect();
  const connection = await Connection.connect({ address: stack.info.temporalAddress });
  const { workflow } = new TemporalClient({ connection, namespace: stack.info.temporalNamespace });
  const eventsOf = async (taskId: string) => (await workflow.getHandle(taskId).describe()).historyLength;
  try {
    await installation.command('projects', 'set', installation.projectId, '--creates', '100000');
    // The first one pays for what is paid once: connections, plans, the pages of new tables.
    await waitForEnd(installation, await createTask(installation, small));
    const plain = await runPlain(installation, database, tasks[size], report);
    const events = await Promise.all(plain.taskIds.map(eventsOf));
    const takenOver = size === 'smoke' ? null : await eventsOf(await runTakenOver(installation, database, report));
    return judgeCost({ events, eventsWithTakeover: takenOver, wal: plain.wal });
  } finally {
    await connection.close();
    await database.end();
    await installation.close();
  }
}

/** Tasks one after the other, with nothing else going on, and what the log says of that time. */
async function runPlain(installation: Installation, database: Client, count: number, report: (line: string) => void) {
  const from = await walPosition(database);
  const taskIds: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const taskId = await createTask(installation, small);
    await waitForEnd(installation, taskId);
    taskIds.push(taskId);
    if (index % 5 === 4) report(`${index + 1} of ${count} plain tasks`);
  }
  // The rows of the outbox go in batches, a moment later.
  await waitFor(async () => (await database.query('select 1 from outbox limit 1')).rowCount === 0);
  return { taskIds, wal: await readWal(database, from, await walPosition(database)) };
}

/** A task whose worker dies while it renders. */
async function runTakenOver(
  installation: Installation,
  database: Client,
  report: (line: string) => void,
): Promise<string> {
  const taskId = await createTask(installation, long);
  // Of this task: what was last heard of the plain ones before it may still stand there.
  const rendering = `select 1 from live_entries join tasks on tasks.id = live_entries.task_id
    where status = 'in_progress' and live_entries.stage = 'rendering' and progress between 1 and 60`;
  await waitFor(async () => (await database.query(rendering)).rowCount === 1);
  report('the worker is killed while it renders');
  await installation.stop('worker', 'SIGKILL');
  await installation.start('worker');
  await waitForEnd(installation, taskId);
  return taskId;
}
