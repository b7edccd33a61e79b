import { cancellationSignal } from '@temporalio/activity';
import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { Database } from '../db/database.ts';
import type { Clock } from '../domain/clock.ts';
import { type Directives, type JobDirective, parseDirectives } from '../domain/directive.ts';
import { type AttemptFailureCode, isAttemptFailureCode, type TaskFailureCode } from '../domain/failure.ts';
import type { Step } from '../domain/step.ts';
import type { Task, TaskStage } from '../domain/task.ts';
import type { WorkflowClient } from '../operations/queue/workflow-client.ts';
import type { Log } from '../telemetry/log.ts';
import { failAndLog } from './fail-and-log.ts';
import { nextWorkflowStep } from './next-workflow-step.ts';
import { retryAttempt } from './retry-attempt.ts';

interface Dependencies {
  db: Database;
  workflows: WorkflowClient;
  clock: Clock;
  log: Log;
  maintainEndpoint: (endpointId: string) => void;
}

type OurCode = Exclude<TaskFailureCode, AttemptFailureCode>;

/** A failure that no engine reports, so that the worker itself has to cause it. */
interface ForcedFailure {
  code: OurCode;
  isOnce: boolean;
  delaySeconds: number;
}

/** The stage at which each of them really happens. */
const stageOf: Record<OurCode, TaskStage> = {
  engine_unavailable: 'preparing',
  engine_rejected_input: 'preparing',
  deadline_exceeded: 'rendering',
  internal_error: 'rendering',
  output_rejected: 'finishing',
  storage_failed: 'finishing',
};

/** Returns the directive for the engine in the task's current attempt; undefined if the prompt forces nothing. */
export function jobDirectiveFor(task: Task): JobDirective | undefined {
  const { delaySeconds, outcome } = directivesOf(task);
  if (outcome === null) return delaySeconds > 0 ? { delaySeconds, outcome: 'draw' } : undefined;
  if (outcome.kind !== 'fail') return { delaySeconds, outcome: outcome.kind };
  return isAttemptFailureCode(outcome.code) ? { delaySeconds, outcome: outcome.code } : undefined;
}

/** Returns the failure that must end the task's current attempt before it is submitted to an engine. */
export function forcedFailureOf(task: Task): ForcedFailure | null {
  const { delaySeconds, outcome } = directivesOf(task);
  if (outcome?.kind !== 'fail' || isAttemptFailureCode(outcome.code)) return null;
  return { code: outcome.code, isOnce: outcome.isOnce, delaySeconds };
}

/** Ends an attempt the way its prompt forces. */
export async function forceFailure(
  dependencies: Dependencies,
  attempt: Attempt,
  { code, isOnce, delaySeconds }: ForcedFailure,
): Promise<Step> {
  await dependencies.clock.wait(delaySeconds * 1000, cancellationSignal());
  const stage = stageOf[code];
  const end = async (): Promise<Step> => {
    // Only a refusal is followed by another attempt; every other of these codes ends the task, `once` or not.
    if (code === 'engine_unavailable' && isOnce) {
      return retryAttempt(dependencies, attempt, { outcome: 'refused', stage, isJobOver: true });
    }
    const isEnded = await failAndLog(dependencies, attempt.taskId, { code, stage, attempt: attempt.attempt });
    return isEnded ? 'ended' : nextWorkflowStep(dependencies, attempt.taskId);
  };
  const step = await end();
  dependencies.maintainEndpoint(attempt.endpointId);
  return step;
}

/** Returns the directives of a task. Only test mode has them; `once` means only in the first attempt. */
function directivesOf(task: Task): Directives {
  const nothing: Directives = { delaySeconds: 0, outcome: null };
  if (task.livemode) return nothing;
  const parsed = parseDirectives(task.prompt);
  if ('problem' in parsed) return nothing; // create refuses such a prompt, unless its rules were different then
  const { delaySeconds, outcome } = parsed.directives;
  const isOver = outcome?.kind === 'fail' && outcome.isOnce && task.attempt > 1;
  return { delaySeconds, outcome: isOver ? null : outcome };
}
