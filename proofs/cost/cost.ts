import { type ApiClient, createApiClient, type Task } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { eventually } from '@kinora/stack/harness/eventually';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { isEmpty, openDatabase } from '@kinora/stack/harness/open-database';
import { findSelfRepairs } from '@kinora/stack/harness/self-repairs';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { publicIdOf } from '@kinora/stack/harness/task-id';
import { startWebhookReceiver } from '@kinora/stack/harness/webhook-receiver';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Client } from 'pg';
import type { Proof, ProofOptions, ProofOutcome, ProofSize } from '../proof.ts';
import { withWorkflows } from '../with-workflows.ts';
import { type Cost, judgeCost } from './judge-cost.ts';
import { readWal, walPosition } from './read-wal.ts';
import { measureRunningJobs } from './running-jobs.ts';

export const proof: Proof = {
  name: 'cost',
  promise:
    'A plain task costs 11 history events and at most 5 commits, and one more per webhook; a task with one takeover at most 25 history events.',
  minutes: 2,
  inGate: 'alone',
  run,
};

const tasks: Record<ProofSize, number> = { ci: 20, full: 200 };
/** video.started and video.completed, to the task's callback. */
const webhooksPerTask = 2;
const small = { prompt: 'A hill at dusk', ...smallestVideo };
/** Renders long enough for a slow machine to see it. */
const long = { ...small, prompt: `${small.prompt} [[delay:20]]` };

async function run(stack: Stack, options: ProofOptions): Promise<ProofOutcome> {
  const { repairs, ...cost } = await measureTasks(stack, options);
  // Afterwards, because the jobs that are left would cost the tasks something.
  const running = options.tier === 'night' ? await measureRunningJobs(stack, options.report) : null;
  const { figures, failures } = judgeCost({ ...cost, running }, options.tier);
  return { figures, failures: [...failures, ...repairs] };
}

async function measureTasks(
  stack: Stack,
  { size, report }: ProofOptions,
): Promise<Omit<Cost, 'running'> & { repairs: string[] }> {
  const port = await findFreePorts(1);
  await using receiver = closing(await startWebhookReceiver(port));
  await using installation = await startInstallation({
    stack,
    limits: { creates: 100_000 },
    loopbackPorts: [port],
    // The longest that is allowed, because the receiver accepts every first try, however late.
    environment: { KINORA_WEBHOOK_TRY_SECONDS: '20' },
    onProgress: report,
  });
  await using database = await openDatabase(stack);
  const api = createApiClient({ url: installation.url, key: installation.testKey });
  const eventsOf = (taskIds: string[]) =>
    withWorkflows(stack, (workflow) =>
      Promise.all(taskIds.map(async (taskId) => (await workflow.getHandle(taskId).describe()).historyLength)),
    );
  // The first task is not measured: it pays for connections, query plans and the pages of new tables.
  const withWebhooks = { ...small, callback_url: receiver.url('/') };
  await complete(api, (await api.create(withWebhooks)).task_id);
  const plain = await runTasks(api, database, { request: small, count: tasks[size], webhooks: 0 }, report);
  const notified = await runTasks(
    api,
    database,
    { request: withWebhooks, count: tasks[size], webhooks: webhooksPerTask },
    report,
  );
  const events = await eventsOf(plain.taskIds);
  const eventsWithWebhooks = await eventsOf(notified.taskIds);
  const takenOver = await runTakenOver(installation, api, report);
  const [eventsWithTakeover = 0] = await eventsOf([takenOver.taskId]);
  const deliveryWorkflows = await startsOfDeliveryWorkflows(stack, database);
  const withWebhook = { events: eventsWithWebhooks, wal: notified.wal, webhooks: webhooksPerTask, deliveryWorkflows };
  const repairs = await findSelfRepairs(stack, installation, takenOver.killedAt);
  return { events, eventsWithTakeover, wal: plain.wal, withWebhook, repairs };
}

interface Round {
  request: typeof small & { callback_url?: string };
  count: number;
  /** Webhooks per task. */
  webhooks: number;
}

/** Runs tasks one after the other in an otherwise idle installation, and reads the write-ahead log of that time. */
async function runTasks(
  api: ApiClient,
  database: Client,
  { request, count, webhooks }: Round,
  report: (line: string) => void,
) {
  const deliveredBefore = await countDelivered(database);
  const from = await walPosition(database);
  const taskIds: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { task_id: taskId } = await api.create(request);
    await complete(api, taskId);
    taskIds.push(taskId);
    if (index % 5 === 4) report(`${index + 1} of ${count} tasks with ${webhooks} webhooks each`);
  }
  const delivered = deliveredBefore + count * webhooks;
  await eventually('the webhooks are delivered', async () => (await countDelivered(database)) >= delivered);
  // The processes delete outbox rows in batches, a moment later.
  await eventually('an empty outbox', () => isEmpty(database, 'select 1 from outbox limit 1'));
  return { taskIds, wal: await readWal(database, from, await walPosition(database)) };
}

async function countDelivered(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from webhook_deliveries where status = 'delivered'`,
  );
  return rows[0]?.count ?? 0;
}

/** Returns how long after its delivery each workflow of a delivery began, in milliseconds. */
async function startsOfDeliveryWorkflows(stack: Stack, database: Client): Promise<number[]> {
  const { rows } = await database.query<{ id: string; created_at: Date }>(
    'select id, created_at from webhook_deliveries',
  );
  return withWorkflows(stack, async (workflow) => {
    const starts = rows.map(async ({ id, created_at: createdAt }) => {
      try {
        const { startTime } = await workflow.getHandle(publicIdOf('del', id)).describe();
        return [startTime.getTime() - createdAt.getTime()];
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return [];
        throw error;
      }
    });
    return (await Promise.all(starts)).flat();
  });
}

/** Runs a task whose worker is killed while it renders. */
async function runTakenOver(
  installation: Installation,
  api: ApiClient,
  report: (line: string) => void,
): Promise<{ taskId: string; killedAt: Date }> {
  for (;;) {
    const { task_id: taskId } = await api.create(long);
    const seen = await eventually('a task that renders', async (): Promise<Task | null> => {
      const task = await api.read(taskId);
      return task.is_final || task.stage === 'rendering' ? task : null;
    });
    if (seen.is_final && seen.status !== 'completed') throw new Error(`${taskId} is ${seen.status}`);
    if (seen.is_final) continue; // This process was too slow to see it render.
    report('killing the worker while it renders');
    const killedAt = new Date();
    await installation.stop('worker', 'SIGKILL');
    await installation.start('worker');
    await complete(api, taskId);
    return { taskId, killedAt };
  }
}

async function complete(api: ApiClient, taskId: string): Promise<void> {
  const { end } = await api.follow(taskId);
  if (end.status !== 'completed') throw new Error(`${taskId} is ${end.status}`);
}
