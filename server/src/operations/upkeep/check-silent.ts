import type { Database, Tables } from '../../db/database.ts';
import type { TaskStage } from '../../domain/task.ts';
import type { WorkflowState } from '../queue/workflow-client.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { failTask } from '../tasks/end-task.ts';

/** What is wrong with the workflow of an open task. */
export type WorkflowFinding =
  | { kind: 'restarted'; taskId: string; state: WorkflowState }
  | { kind: 'outgrown'; taskId: string; version: string }
  | { kind: 'stuck'; taskId: string }
  | { kind: 'given-up'; taskId: string; state: WorkflowState }
  | { kind: 'completed-without-end'; taskId: string };

export type SilentTask = Awaited<ReturnType<Database['openTasks']['silentSince']>>[number];

/** After two restarts the task fails: its workflow would probably be lost again. */
const maximumRestarts = 2;
/** Thousands of outgrown workflows start again at half the rate of creates that a cell takes. */
const outgrownPerSecond = 50;

/** Judges what Temporal says of the workflow of an admitted task that is open. */
export function judgeWorkflow(
  { taskId, restarts }: Pick<SilentTask, 'taskId' | 'restarts'>,
  state: WorkflowState,
  outgrownBy: string | null,
): WorkflowFinding | null {
  if (state === 'running') return null;
  if (state === 'stuck') return { kind: 'stuck', taskId };
  // The row decides, so nothing is lost with it; and it is no sign that it will happen again.
  if (outgrownBy !== null) return { kind: 'outgrown', taskId, version: outgrownBy };
  if (restarts >= maximumRestarts) return { kind: 'given-up', taskId, state };
  // The row outlived the end of its workflow: Postgres has lost commits, in a failover or a restore, or Kinora has a bug.
  return state === 'completed' ? { kind: 'completed-without-end', taskId } : { kind: 'restarted', taskId, state };
}

/** Returns a function that checks the tasks of one round. It throws if Temporal fails: that says nothing. */
export function silentChecks(
  parts: WorkflowParts,
  { silentSince, isDryRun }: { silentSince: Date; isDryRun: boolean },
) {
  const { db, workflows, clock } = parts;
  let outgrown = 0;

  /** Null if the workflow runs, or if the task has ended or restarted since. */
  return async (task: SilentTask): Promise<WorkflowFinding | null> => {
    const { taskId } = task;
    const state = await workflows.state(taskId);
    const outgrownBy = state === 'failed' ? await workflows.outgrownBy(taskId) : null;
    const finding = judgeWorkflow(task, state, outgrownBy);
    return finding === null || isDryRun || (await carryOut(finding.kind, task)) ? finding : null;
  };

  /** Returns false if the task has ended or restarted since. */
  async function carryOut(kind: WorkflowFinding['kind'], task: SilentTask): Promise<boolean> {
    const { taskId, status, restarts } = task;
    const now = clock.now();
    switch (kind) {
      case 'stuck':
        return true;
      case 'given-up':
        return failTask(parts, taskId, { code: 'internal_error', stage: stageOf(status) });
      case 'outgrown': {
        const delay = (outgrown++ * 1000) / outgrownPerSecond;
        return startAgain(task, ({ openTasks }) => openTasks.claimCheck(taskId, silentSince, now), delay);
      }
      default:
        return startAgain(task, ({ tasks }) => tasks.countRestart(taskId, restarts, now));
    }
  }

  function startAgain(
    { taskId, projectId, pool, weight, status }: SilentTask,
    claim: (tables: Tables) => Promise<boolean>,
    delayMilliseconds = 0,
  ): Promise<boolean> {
    const enter = status === 'queued' ? ('generate' as const) : ('follow' as const);
    const start = { kind: 'start', taskId, projectId, pool, weight, enter, afterCompletion: true } as const;
    return db.transaction(async (tables) => {
      const isOurs = await claim(tables);
      if (isOurs) await tables.outbox.add([start], delayMilliseconds);
      return isOurs;
    });
  }
}

export function stageOf(status: 'queued' | 'in_progress'): TaskStage {
  return status === 'queued' ? 'waiting' : 'rendering';
}
