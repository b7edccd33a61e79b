import { isFinal, stageOf, type Task, type TaskStage } from './task.ts';

/** A period of a task's life. While it lasts, `endedAt` is null and `seconds` counts up to now. */
interface TimelineStage {
  stage: TaskStage;
  attempt: number;
  startedAt: Date;
  endedAt: Date | null;
  seconds: number;
}

interface TimelineAttempt {
  attempt: number;
  /** The name of the engine endpoint that served it. */
  endpoint: string;
  beganAt: Date;
  endedAt: Date | null;
  /** How long the attempt held the engine; null while it still does. */
  engineSeconds: number | null;
  /** How often another worker took the attempt over. */
  takeovers: number;
  outcome: string | null;
}

export interface Timeline {
  task: Task;
  /** Seconds from acceptance to the end, or to now if the task has not ended. */
  seconds: number;
  stages: TimelineStage[];
  attempts: TimelineAttempt[];
}

/** The part of an attempt that a timeline needs. */
interface AttemptTimes {
  attempt: number;
  endpointId: string;
  beganAt: Date;
  slotFreedAt: Date | null;
  endedAt: Date | null;
  outcome: string | null;
  takeovers: number;
}

/**
 * Returns a task's stages without a gap from acceptance to end: waiting, then for each attempt rendering (from the
 * moment a slot is taken, so preparing is part of it) and finishing, with another waiting stage before each retry. An
 * attempt that ended before the engine took its job has preparing instead of rendering, as its task says.
 */
export function timelineOf(task: Task, attempts: readonly AttemptTimes[], now: Date): Timeline {
  const endOfTask = 'completedAt' in task ? task.completedAt : null;
  const stages: TimelineStage[] = [];
  const add = (stage: TimelineStage['stage'], attempt: number, startedAt: Date, endedAt: Date | null): void => {
    stages.push({ stage, attempt, startedAt, endedAt, seconds: secondsBetween(startedAt, endedAt ?? now) });
  };
  let waitingSince: Date | null = task.createdAt;
  for (const times of attempts) {
    const { attempt, beganAt, slotFreedAt, endedAt } = times;
    if (waitingSince) add('waiting', attempt, waitingSince, beganAt);
    add(isPreparing(task, times) ? 'preparing' : 'rendering', attempt, beganAt, slotFreedAt ?? endedAt);
    if (slotFreedAt) add('finishing', attempt, slotFreedAt, endedAt);
    waitingSince = endedAt;
  }
  const lastAttempt = attempts.at(-1)?.attempt ?? 0;
  const isWaiting = task.status === 'queued' || lastAttempt < task.attempt;
  if (isWaiting && waitingSince) add('waiting', task.attempt, waitingSince, endOfTask);
  const seconds = secondsBetween(task.createdAt, endOfTask ?? now);
  return { task, seconds, stages, attempts: attempts.map(toTimelineAttempt) };
}

function isPreparing(task: Task, { attempt, outcome }: AttemptTimes): boolean {
  if (isRefusal(outcome)) return true;
  return attempt === task.attempt && isFinal(task.status) && stageOf(task) === 'preparing';
}

function isRefusal(outcome: string | null): boolean {
  return outcome === 'refused' || outcome === 'engine_unavailable';
}

function toTimelineAttempt(times: AttemptTimes): TimelineAttempt {
  const { attempt, endpointId, beganAt, endedAt, takeovers, outcome } = times;
  return { attempt, endpoint: endpointId, beganAt, endedAt, engineSeconds: engineSecondsOf(times), takeovers, outcome };
}

/** 0 if the engine refused the job; otherwise it was held until its slot was freed or the attempt ended. */
function engineSecondsOf({ beganAt, slotFreedAt, endedAt, outcome }: AttemptTimes): number | null {
  if (isRefusal(outcome)) return 0;
  const until = slotFreedAt ?? endedAt;
  return until && secondsBetween(beganAt, until);
}

function secondsBetween(from: Date, to: Date): number {
  return Math.max(0, to.getTime() - from.getTime()) / 1000;
}
