import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { Database } from '../db/database.ts';
import type { EndpointFailureCode } from '../domain/breaker.ts';
import type { Clock } from '../domain/clock.ts';
import type { RejectionCode } from '../domain/failure.ts';
import type { Step } from '../domain/step.ts';
import type { Task, TaskStage } from '../domain/task.ts';
import { excuseEndpoints } from '../operations/attempts/excuse-endpoints.ts';
import { freeSlot } from '../operations/attempts/free-slot.ts';
import { noteEndpointOutcome } from '../operations/attempts/note-endpoint-outcome.ts';
import type { WorkflowClient } from '../operations/queue/workflow-client.ts';
import type { Log } from '../telemetry/log.ts';
import { attemptIds } from './attempt-ids.ts';
import { failAndLog } from './fail-and-log.ts';
import { jobDirectiveFor } from './forced-outcome.ts';
import { nextWorkflowStep } from './next-workflow-step.ts';
import { retryAttempt } from './retry-attempt.ts';
import type { SlotBoard } from './slot-board.ts';

export interface EndDependencies {
  db: Database;
  workflows: WorkflowClient;
  clock: Clock;
  log: Log;
  board: SlotBoard;
  /** Tells the owner of an endpoint to check its leases now: a slot may be ready to be freed. */
  maintainEndpoint: (endpointId: string) => void;
}

/** Frees the slot of a finished job before anything slow happens. Returns false if another worker took over. */
export async function giveSlotBack(dependencies: EndDependencies, attempt: Attempt): Promise<boolean> {
  // A slot that an earlier holder has freed may serve another task by now.
  if (attempt.slotFreedAt !== null) return true;
  const isHolder = freeSlot(dependencies, attempt);
  dependencies.board.freeing(attempt, isHolder);
  return isHolder;
}

/** Ends a task whose job the engine rejected, and frees its slot: nothing of the job runs there. */
export async function rejectTask(
  dependencies: EndDependencies,
  attempt: Attempt,
  code: RejectionCode,
  stage: TaskStage,
): Promise<Step> {
  const isHolder = await giveSlotBack(dependencies, attempt);
  if (!isHolder) return nextWorkflowStep(dependencies, attempt.taskId);
  const isEnded = await failAndLog(dependencies, attempt.taskId, { code, stage, attempt: attempt.attempt });
  return isEnded ? 'ended' : nextWorkflowStep(dependencies, attempt.taskId);
}

/** Ends an attempt whose engine does not know the job or is unreachable: the slot drains while the task is retried. */
export async function attemptLost(dependencies: EndDependencies, attempt: Attempt): Promise<Step> {
  return attemptFailed(dependencies, attempt, { outcome: 'engine_lost', stage: 'rendering', isJobOver: false });
}

/** Records that an attempt failed, and has the owner of its endpoint check the slot. */
export async function attemptFailed(
  dependencies: EndDependencies,
  attempt: Attempt,
  end: Parameters<typeof retryAttempt>[2],
): Promise<Step> {
  dependencies.log.warn({ event: 'attempt.failed', ...attemptIds(attempt), outcome: end.outcome }, 'attempt failed');
  const step = await retryAttempt(dependencies, attempt, end);
  dependencies.maintainEndpoint(attempt.endpointId);
  return step;
}

/** Records a job's outcome for the breaker of its endpoint; an outcome that a test prompt forces does not count. */
export async function noteOutcome(
  dependencies: EndDependencies,
  task: Task,
  attempt: Attempt,
  outcome: 'succeeded' | EndpointFailureCode,
): Promise<void> {
  if (jobDirectiveFor(task)) return;
  const hasChanged = await noteEndpointOutcome(dependencies, attempt, outcome);
  if (outcome !== 'succeeded') await excuseEndpoints(dependencies, attempt);
  if (hasChanged) dependencies.maintainEndpoint(attempt.endpointId);
}
