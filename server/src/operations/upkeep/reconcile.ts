import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { TaskStage } from '../../domain/task.ts';
import { admitTasks } from '../queue/admit-tasks.ts';
import type { WorkflowClient, WorkflowState } from '../queue/workflow-client.ts';
import { failTask } from '../tasks/end-task.ts';
import { type DeliveryFinding, reviveDeliveries } from '../webhooks/revive-deliveries.ts';

interface Dependencies {
  db: Database;
  workflows: WorkflowClient;
  clock: Clock;
  waitLimitHours: number;
  /** How long a task may go without progress or a check before its workflow is checked. */
  silenceSeconds: number;
}

/** What was found wrong, and what was done about it. In a dry run nothing is done. */
export type Finding =
  | { kind: 'miscounted'; projectId: string; livemode: boolean; before: Counts; after: Counts }
  | { kind: 'admitted'; projectId: string; livemode: boolean; count: number }
  | { kind: 'waited-too-long'; taskId: string }
  | { kind: 'lived-too-long'; taskId: string }
  | { kind: 'restarted'; taskId: string; state: WorkflowState }
  | { kind: 'given-up'; taskId: string; state: WorkflowState }
  | { kind: 'completed-without-end'; taskId: string }
  | DeliveryFinding;

interface Counts {
  running: number;
  waiting: number;
}

const tasksPerRound = 500;
const checksAtOnce = 20;
/** Three attempts of two hours, six hours of finishing, and two hours of margin. */
const longestRunHours = 14;
/** After two restarts the task fails: its workflow would probably be lost again. */
const maximumRestarts = 2;

/** Compares rows with each other and with Temporal, and corrects differences. The first two steps need no Temporal. */
export async function reconcile(dependencies: Dependencies, options: { isDryRun: boolean }): Promise<Finding[]> {
  return [
    ...(await recountAndAdmit(dependencies, options.isDryRun)),
    ...(await endOverdue(dependencies, options.isDryRun)),
    ...(await endOldest(dependencies, options.isDryRun)),
    ...(await reviveSilent(dependencies, options.isDryRun)),
    ...(await reviveDeliveries(dependencies, options.isDryRun)),
  ];
}

async function recountAndAdmit({ db, workflows, clock }: Dependencies, isDryRun: boolean): Promise<Finding[]> {
  const findings: Finding[] = [];
  const actual = new Map((await db.openTasks.countActive()).map((row) => [`${row.projectId} ${row.livemode}`, row]));
  for (const slots of await db.projectSlots.list()) {
    const { projectId, livemode, cap, running, waiting, waitingInPools } = slots;
    const counted = actual.get(`${projectId} ${livemode}`) ?? { running: 0, waiting: 0 };
    const isMiscounted =
      counted.running !== running || counted.waiting !== waiting || counted.waiting !== waitingInPools;
    const hasRoom = counted.running < cap && counted.waiting > 0;
    if (!isMiscounted && !hasRoom) continue;
    if (isDryRun) {
      const after = { running: counted.running, waiting: counted.waiting };
      if (isMiscounted) findings.push({ kind: 'miscounted', projectId, livemode, before: { running, waiting }, after });
      continue;
    }
    // The two queries above ran at different moments. Only the recount under the row's lock is exact enough to report.
    const { before, after, starts } = await db.transaction(async (tables) => ({
      ...(await tables.projectSlots.recount(slots)),
      starts: await admitTasks(tables, slots, clock.now()),
    }));
    workflows.startSoon(starts);
    if (before.running !== after.running || before.waiting !== after.waiting) {
      findings.push({ kind: 'miscounted', projectId, livemode, before, after });
    }
    if (starts.length > 0) findings.push({ kind: 'admitted', projectId, livemode, count: starts.length });
  }
  return findings;
}

async function endOverdue(dependencies: Dependencies, isDryRun: boolean): Promise<Finding[]> {
  const { db, clock, waitLimitHours } = dependencies;
  const moment = hoursBefore(clock.now(), waitLimitHours);
  const findings: Finding[] = [];
  for (const taskId of await db.openTasks.neverBegunBefore(moment, tasksPerRound)) {
    const failure = { code: 'deadline_exceeded', stage: 'waiting', attempt: 1 } as const;
    if (isDryRun || (await failTask(dependencies, taskId, failure))) findings.push({ kind: 'waited-too-long', taskId });
  }
  return findings;
}

/**
 * Ends tasks that have lived longer than any task can, whatever Temporal says: one that waits for another attempt in a
 * pool that was removed, or whose workflow runs and makes no progress, would otherwise hold its project's slot for good.
 * The slot of a job that may still run drains, as after a cancel.
 */
async function endOldest(dependencies: Dependencies, isDryRun: boolean): Promise<Finding[]> {
  const { db, clock, waitLimitHours } = dependencies;
  const moment = hoursBefore(clock.now(), waitLimitHours + longestRunHours);
  const findings: Finding[] = [];
  for (const { taskId, status } of await db.openTasks.acceptedBefore(moment, tasksPerRound)) {
    const failure = { code: 'deadline_exceeded', stage: stageOf(status) } as const;
    if (isDryRun || (await failTask(dependencies, taskId, failure))) findings.push({ kind: 'lived-too-long', taskId });
  }
  return findings;
}

async function reviveSilent(dependencies: Dependencies, isDryRun: boolean): Promise<Finding[]> {
  const { db, clock, silenceSeconds } = dependencies;
  const moment = new Date(clock.now().getTime() - silenceSeconds * 1000);
  const silent = await db.openTasks.silentSince(moment, tasksPerRound);
  const findings: Finding[] = [];
  const checked: string[] = [];
  const queue = [...silent];
  const checkNext = async (): Promise<void> => {
    for (let task = queue.shift(); task; task = queue.shift()) {
      const finding = await check(dependencies, task, isDryRun);
      if (finding === 'in-order') checked.push(task.taskId);
      else if (finding !== 'unknown') findings.push(finding);
    }
  };
  await Promise.all(Array.from({ length: checksAtOnce }, checkNext));
  if (!isDryRun) await db.openTasks.markChecked(checked, clock.now());
  return findings;
}

type SilentTask = Awaited<ReturnType<Database['openTasks']['silentSince']>>[number];

/**
 * `in-order`: the workflow runs, or the task has ended or been restarted since it was read. `unknown`: Temporal failed.
 */
async function check(
  dependencies: Dependencies,
  task: SilentTask,
  isDryRun: boolean,
): Promise<Finding | 'in-order' | 'unknown'> {
  const { db, workflows, clock } = dependencies;
  const { taskId } = task;
  // An error from Temporal other than "not found" says nothing about the task.
  const state = await workflows.state(taskId).catch(() => null);
  if (state === null) return 'unknown';
  if (state === 'running') return 'in-order';
  if (task.restarts >= maximumRestarts) {
    const wasActive =
      isDryRun || (await failTask(dependencies, taskId, { code: 'internal_error', stage: stageOf(task.status) }));
    return wasActive ? { kind: 'given-up', taskId, state } : 'in-order';
  }
  if (!isDryRun) {
    const now = clock.now();
    const messages = await db.transaction(async (tables) => {
      if (!(await tables.tasks.countRestart(taskId, task.restarts, now))) return [];
      const enter = task.status === 'queued' ? ('generate' as const) : ('follow' as const);
      const { pool, projectId, weight } = task;
      const start = { kind: 'start', taskId, projectId, pool, weight, enter, afterCompletion: true } as const;
      return tables.outbox.add([start], now, now);
    });
    if (messages.length === 0) return 'in-order';
  }
  // The row outlived the end of its workflow: Postgres has lost commits, in a failover or a restore, or Kinora has a bug.
  return state === 'completed' ? { kind: 'completed-without-end', taskId } : { kind: 'restarted', taskId, state };
}

function stageOf(status: 'queued' | 'in_progress'): TaskStage {
  return status === 'queued' ? 'waiting' : 'rendering';
}

function hoursBefore(moment: Date, hours: number): Date {
  return new Date(moment.getTime() - hours * 60 * 60 * 1000);
}
