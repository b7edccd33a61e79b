import { activityInfo, cancellationSignal } from '@temporalio/activity';
import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { Database } from '../db/database.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Clock } from '../domain/clock.ts';
import type { Step } from '../domain/step.ts';
import type { Task } from '../domain/task.ts';
import type { Registry } from '../engines/registry.ts';
import type { Images } from '../media/images.ts';
import { beginAttempt } from '../operations/attempts/begin-attempt.ts';
import type { WorkflowClient } from '../operations/queue/workflow-client.ts';
import type { Storage } from '../storage/storage.ts';
import type { Log } from '../telemetry/log.ts';
import { logSeconds } from '../telemetry/log-seconds.ts';
import { attemptIds } from './attempt-ids.ts';
import { failAndLog } from './fail-and-log.ts';
import { type Known, type Look, type Move, nextMove, type Pause } from './next-move.ts';
import { nextWorkflowStep } from './next-workflow-step.ts';
import type { OtherWorkers } from './other-workers.ts';
import { prepareRender } from './prepare-render.ts';
import { requeueMilliseconds, shouldRequeue } from './should-requeue.ts';
import type { BoardSlot, Claim, SlotBoard } from './slot-board.ts';

/** 10 s: short compared with a render. After that the slot is for the next task, which may need no image. */
const storeAwayMilliseconds = 10_000;

interface Dependencies {
  db: Database;
  board: SlotBoard;
  registry: Registry;
  catalogue: () => Catalogue;
  images: Images;
  storage: Storage;
  workflows: WorkflowClient;
  elsewhere: OtherWorkers;
  /** This worker, as the attempts that it begins name it. */
  processId: string;
  clock: Clock;
  log: Log;
}

/** A task whose attempt has begun. */
export type BegunRender = Extract<Move, { kind: 'submit' }>;

/** Prepares the request, takes a free slot and begins an attempt, or returns the workflow's next step. */
export async function beginRender(dependencies: Dependencies, taskId: string): Promise<BegunRender | Step> {
  const claim = dependencies.board.openClaim();
  const look = looker(dependencies, taskId, claim);
  let known: Known = { unadmittedLooks: 0, unfitTries: 0 };
  try {
    for (;;) {
      const move = nextMove(known);
      switch (move.kind) {
        case 'submit':
          logBegun(dependencies, move);
          return move;
        case 'fail':
          await failAndLog(dependencies, taskId, { code: move.code, stage: 'waiting', attempt: move.attempt });
          return nextWorkflowStep(dependencies, taskId);
        case 'end':
          await pause(dependencies, claim, move.pause);
          return move.step;
        case 'again':
          await pause(dependencies, claim, move.pause);
          known = move.known;
          break;
        default:
          known = { ...known, ...(await look(move)) };
      }
    }
  } finally {
    claim.close();
  }
}

async function pause({ clock }: Dependencies, claim: Claim, { milliseconds, keepsClaim }: Pause): Promise<void> {
  if (!keepsClaim) claim.close();
  if (milliseconds > 0) await clock.wait(milliseconds, cancellationSignal());
}

/** Returns a function that finds out what a move asks for. */
function looker(dependencies: Dependencies, taskId: string, claim: Claim) {
  const { db, board, registry, elsewhere, clock } = dependencies;
  const waitsUntil = clock.elapsed() + storeAwayMilliseconds;
  const takeSlot = async (former: Attempt | null): Promise<BoardSlot | null> => {
    if (!former) return claim.take(null);
    const patience = AbortSignal.any([cancellationSignal(), clock.deadline(requeueMilliseconds)]);
    return claim.takeElsewhere(former.endpointId, patience);
  };
  return async (move: Look): Promise<Partial<Known>> => {
    switch (move.kind) {
      case 'find-task':
        return { task: await db.tasks.find(taskId) };
      case 'ask-to-end':
        return { mayEnd: await db.openTasks.noteEndedRun(taskId, runId()) };
      case 'prepare': {
        const prepared = await prepareRender(dependencies, move.task);
        return { prepared, hasWaitedForStore: clock.elapsed() >= waitsUntil };
      }
      case 'ask-for-model':
        return { isModelElsewhere: await elsewhere.hasModel(taskId, move.model) };
      case 'find-former':
        return { former: await db.attempts.find(taskId, move.attempt) };
      case 'compare':
        return { shouldRequeue: await shouldRequeue(dependencies, move.former) };
      case 'take-slot':
        return { slot: await takeSlot(move.former) };
      case 'check-slot': {
        const isSlotReady = await board.isReady(move.slot);
        if (!isSlotReady) board.settled(move.slot);
        return { isSlotReady };
      }
      case 'begin':
        return { begun: await beginAt(move.task, move.slot) };
    }
  };

  async function beginAt(task: Task, slot: BoardSlot) {
    const engine = registry.find(slot.endpointId)?.engine;
    if (!engine) throw new Error('the board offered a slot of an endpoint that is not configured');
    try {
      const operationFor = (jobId: string) => engine.operationFor(jobId);
      const begun = await beginAttempt(dependencies, task, { ...slot, operationFor });
      if (begun.kind === 'not-queued') board.freed(slot);
      return { ...begun, engine };
    } finally {
      board.settled(slot);
    }
  }
}

function runId(): string {
  const run = activityInfo().workflowExecution?.runId;
  if (run === undefined) throw new Error('a task begins only in its workflow');
  return run;
}

function logBegun({ log }: Dependencies, { task, attempt }: BegunRender): void {
  // A later attempt has waited since the end of the one before, not since the creation of the task.
  const queuedSeconds =
    attempt.attempt === 1 ? { queuedSeconds: logSeconds(attempt.beganAt.getTime() - task.createdAt.getTime()) } : {};
  log.info({ event: 'attempt.begun', ...attemptIds(attempt), ...queuedSeconds }, 'attempt begun');
}
