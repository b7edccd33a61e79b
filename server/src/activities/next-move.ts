import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { CountedTask } from '../db/tasks/task-row.ts';
import type { TaskFailureCode } from '../domain/failure.ts';
import type { Step } from '../domain/step.ts';
import { isFinal, type Task } from '../domain/task.ts';
import type { Engine, RenderRequest } from '../engines/engine.ts';
import type { Begun } from '../operations/attempts/begin-attempt.ts';
import { leftMilliseconds } from './other-workers.ts';
import type { Prepared } from './prepare-render.ts';
import type { BoardSlot } from './slot-board.ts';

const lookAgainMilliseconds = 2_000;
/** 2 s: long enough for another worker to be given the task, and at most 15 times. */
const requeueMilliseconds = 2_000;
/** 5: a process that fits images may be killed now and then; an image that kills five will kill the sixth. */
const maximumUnfitTries = 5;
/** 3, so 6 s: a relay admits the tasks of a pool within seconds after the pool is served again. */
const maximumUnadmittedLooks = 3;

/** What is known of a task that shall begin. A field that is missing was not looked at yet in this round. */
export interface Known {
  /** How often, in earlier rounds, the task was not admitted and its image could not be fitted. */
  unadmittedLooks: number;
  unfitTries: number;
  /** Whether this run of the workflow may end, because the task is still not admitted. */
  mayEnd?: boolean;
  task?: CountedTask | null;
  /** The request to the engine, or why there is none. */
  prepared?: Prepared;
  /** Whether this work has waited for the store for as long as it may. */
  hasWaitedForStore?: boolean;
  isModelElsewhere?: boolean;
  /** The attempt before this one; null if it is the first. */
  former?: Attempt | null;
  shouldRequeue?: boolean;
  /** The slot that was taken; null if none was free. */
  slot?: BoardSlot | null;
  isSlotReady?: boolean;
  begun?: Begun & { engine: Engine };
}

/** Something to find out, or to try. */
export type Look =
  | { kind: 'find-task' }
  | { kind: 'ask-to-end' }
  | { kind: 'prepare'; task: Task }
  | { kind: 'ask-for-model'; model: string }
  | { kind: 'find-former'; attempt: number }
  | { kind: 'compare'; former: Attempt }
  | { kind: 'take-slot'; former: Attempt | null }
  | { kind: 'check-slot'; slot: BoardSlot }
  | { kind: 'begin'; task: Task; slot: BoardSlot };

export interface Pause {
  milliseconds: number;
  /** Whether no other task may use the slot meanwhile. */
  keepsClaim: boolean;
}

/** What to do next for a task that shall begin: find something out, wait for another round, or end. */
export type Move =
  | Look
  | { kind: 'again'; pause: Pause; known: Known }
  | { kind: 'end'; step: Step; pause: Pause }
  | { kind: 'fail'; code: TaskFailureCode; attempt: number }
  | { kind: 'submit'; task: Task; attempt: Attempt; engine: Engine; request: Omit<RenderRequest, 'jobId'> };

/** Decides what a worker does next with a task that it was given to begin. */
export function nextMove(known: Known): Move {
  const { task, prepared, former, slot, begun, unadmittedLooks, unfitTries } = known;
  if (task === undefined) return { kind: 'find-task' };
  if (task === null || isFinal(task.status)) return end('ended');
  if (task.status === 'in_progress') return end('follow');
  if (!task.counters.isAdmitted) {
    if (unadmittedLooks < maximumUnadmittedLooks)
      return again({ unadmittedLooks: unadmittedLooks + 1, unfitTries }, lookAgainMilliseconds, { keepsClaim: false });
    // It was given back while its pool had no endpoint. Its next admission starts a workflow again.
    if (known.mayEnd === undefined) return { kind: 'ask-to-end' };
    return known.mayEnd ? end('ended') : again({ unadmittedLooks: 0, unfitTries }, 0, { keepsClaim: false });
  }

  // Before an attempt begins: while the storage is unreachable, a task with an image must not use up its attempts.
  if (prepared === undefined) return { kind: 'prepare', task };
  if (typeof prepared === 'string') return moveWithoutRequest(known, task, prepared);

  if (former === undefined) {
    if (task.attempt > 1) return { kind: 'find-former', attempt: task.attempt - 1 };
  } else if (former !== null) {
    if (known.shouldRequeue === undefined) return { kind: 'compare', former };
    if (known.shouldRequeue) return end('generate', requeueMilliseconds);
  }

  if (slot === undefined) return { kind: 'take-slot', former: former ?? null };
  // The slot for which this work was polled is no longer offered: the task goes back into the queue.
  if (slot === null) return end('generate');
  if (known.isSlotReady === undefined) return { kind: 'check-slot', slot };
  if (!known.isSlotReady) return end('generate');
  if (begun === undefined) return { kind: 'begin', task, slot };
  if (begun.kind === 'slot-taken') return end('generate');
  // The task has changed since it was looked at.
  if (begun.kind === 'not-queued') return again({ unadmittedLooks, unfitTries }, 0, { keepsClaim: true });
  return { kind: 'submit', task, attempt: begun.attempt, engine: begun.engine, request: prepared };
}

/** Decides about a task for which there is no request. */
function moveWithoutRequest(known: Known, task: CountedTask, reason: Extract<Prepared, string>): Move {
  const { unadmittedLooks } = known;
  const fail = (code: TaskFailureCode): Move => ({ kind: 'fail', code, attempt: task.attempt });
  // The claim stays during the pause: otherwise the worker would take task after task, and all would wait here.
  const retry = (unfitTries: number): Move =>
    again({ unadmittedLooks, unfitTries }, lookAgainMilliseconds, { keepsClaim: true });
  switch (reason) {
    case 'gone':
      return fail('storage_failed');
    case 'no-model':
      if (known.isModelElsewhere === undefined) return { kind: 'ask-for-model', model: task.model };
      return known.isModelElsewhere ? end('generate', leftMilliseconds) : fail('engine_unavailable');
    case 'unfit':
      return known.unfitTries + 1 === maximumUnfitTries ? fail('internal_error') : retry(known.unfitTries + 1);
    case 'store-away':
      return known.hasWaitedForStore ? end('generate') : retry(known.unfitTries);
  }
}

/** Other tasks may use the slot during the pause. */
function end(step: Step, milliseconds = 0): Move {
  return { kind: 'end', step, pause: { milliseconds, keepsClaim: false } };
}

function again(known: Known, milliseconds: number, { keepsClaim }: { keepsClaim: boolean }): Move {
  return { kind: 'again', pause: { milliseconds, keepsClaim }, known };
}
