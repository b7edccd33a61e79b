import type { Tables } from '../../db/database.ts';
import type { EventType } from '../../domain/event.ts';
import type { TaskFailureCode } from '../../domain/failure.ts';
import type { Task, TaskStage, TaskVideo } from '../../domain/task.ts';
import { recordEvent } from '../events/record-event.ts';
import { admitInto } from '../queue/admit-tasks.ts';
import type { WorkflowStart } from '../queue/workflow-client.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';

export type Ending =
  | { kind: 'complete'; video: TaskVideo }
  | {
      kind: 'fail';
      code: TaskFailureCode;
      stage: TaskStage;
      engineSeconds?: number;
      countsAsFailedAttempt?: boolean;
      countsAsRefusal?: boolean;
    }
  | { kind: 'cancel' };

const eventOf = {
  complete: 'video.completed',
  fail: 'video.failed',
  cancel: 'video.cancelled',
} as const satisfies Record<Ending['kind'], EventType>;

/**
 * Every end goes through here: status by compare-and-set, usage row, event and deliveries, the project's slot, the next
 * task. Null if the task had ended already, or is in another attempt than `expected.attempt`.
 */
export async function endTask(
  tables: Tables,
  taskId: string,
  ending: Ending,
  expected: { attempt?: number },
  now: Date,
): Promise<{ task: Task; wasAdmitted: boolean; starts: WorkflowStart[] } | null> {
  const isCounted = ending.kind === 'complete' || (ending.kind === 'fail' && ending.engineSeconds !== undefined);
  const engineSeconds = isCounted ? {} : { engineSeconds: await engineSecondsSoFar(tables, taskId, now) };
  const changes = { ...changesOf(ending, now), ...engineSeconds };
  const task = await tables.tasks.change(taskId, ending.kind, expected, changes);
  if (!task) return null;
  await tables.attempts.markEnded(taskId, task.attempt, ending.kind === 'fail' ? ending.code : task.status, now);
  await tables.usage.add(task, now);
  const deliveries = await recordEvent(tables, eventOf[ending.kind], task, now);
  const wasAdmitted = task.counters.isAdmitted;
  const addedBytes = (ending.kind === 'complete' && ending.video.storedBytes) || 0;
  const room = await tables.projectSlots.giveBack(task, { wasAdmitted, pool: task.pool, addedBytes });
  const starts = await admitInto(room, tables, task, now);
  return { task, wasAdmitted, starts: [...starts, ...deliveries] };
}

/** Fails a task in a transaction of its own. Returns false if it had ended already, or is in another attempt. */
export async function failTask(
  { db, workflows, clock }: WorkflowParts,
  taskId: string,
  failure: { code: TaskFailureCode; stage: TaskStage; attempt?: number },
): Promise<boolean> {
  const { code, stage, attempt } = failure;
  const expected = attempt === undefined ? {} : { attempt };
  const ended = await db.transaction((tables) =>
    endTask(tables, taskId, { kind: 'fail', code, stage }, expected, clock.now()),
  );
  if (ended) workflows.startSoon(ended.starts);
  return ended !== null;
}

/** Returns the engine's time so far for an attempt whose job still runs; a job that is over has been counted before. */
async function engineSecondsSoFar(tables: Tables, taskId: string, now: Date): Promise<number> {
  const task = await tables.tasks.lock(taskId);
  const attempt = task?.status === 'in_progress' ? await tables.attempts.find(taskId, task.attempt) : null;
  if (!attempt || attempt.slotFreedAt !== null) return 0;
  return Math.max(0, (now.getTime() - attempt.beganAt.getTime()) / 1000);
}

function changesOf(ending: Ending, now: Date) {
  switch (ending.kind) {
    case 'complete':
      return { completedAt: now, video: ending.video, stage: 'finishing' as const };
    case 'fail': {
      const { code, stage, kind: _, ...counts } = ending;
      return { completedAt: now, error: { code, stage }, ...counts };
    }
    case 'cancel':
      return { completedAt: now };
  }
}
