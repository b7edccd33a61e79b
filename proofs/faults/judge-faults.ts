import type { ProofOutcome } from '../proof.ts';
import type { CallerTask, FaultEvidence, Probe } from './fault-evidence.ts';

/** The least that a run must have done for its result to count. */
export interface PlannedFaults {
  tasks: number;
  faults: readonly string[];
  /** Within this time after a fault, new tasks complete on every endpoint and reads are fast again; 30 s unless told. */
  recoverySeconds?: number;
}

/**
 * Judges what callers, engines and the reconciler experienced. A task that was accepted after the moment to which the
 * database was put back is not a lost task: it is counted as the recovery point.
 */
export function judgeFaults(evidence: FaultEvidence, planned: PlannedFaults): ProofOutcome {
  const { tasks, probes, submits, roundsEndedAt } = evidence;
  const missing = tasks.filter((task) => finalStatus(task) === 'missing');
  const repeatedSubmits = repetitions(evidence);
  const rendersOf = Map.groupBy(submits, ({ jobId }) => taskOf(jobId));
  return {
    figures: {
      tasks: tasks.length,
      completed: tasks.filter((task) => finalStatus(task) === 'completed').length,
      recoveryPointTasks: missing.length,
      completedTwice: tasks.filter((task) => timesCompleted(task) > 1).length,
      submits: submits.length,
      submitsRepeatedAfterRollback: repeatedSubmits.filter(({ isExcused }) => isExcused).length,
      rendersRepeated: [...rendersOf.values()].filter((renders) => renders.length > 1).length,
      slowestRecoverySeconds: Math.max(0, ...probes.flatMap(({ secondsOf }) => Object.values(secondsOf).map(Number))),
      slowestReadsAfterSeconds: Math.max(0, ...probes.map(({ readsAfterSeconds }) => Number(readsAfterSeconds))),
      reconcilerRounds: roundsEndedAt.length,
    },
    failures: [
      ...(tasks.length < planned.tasks ? [`only ${tasks.length} of ${planned.tasks} tasks were created`] : []),
      ...planned.faults
        .filter((fault) => !probes.some((probe) => probe.fault === fault))
        .map((fault) => `this fault was not caused: ${fault}`),
      ...tasks.flatMap((task) => wrongEnd(task, evidence)),
      ...sharedVideos(tasks),
      ...repeatedSubmits
        .filter(({ isExcused }) => !isExcused)
        .map(({ jobId }) => `${jobId} was submitted twice for the same attempt`),
      ...probes.flatMap((probe) => slowRecovery(probe, roundsEndedAt, planned.recoverySeconds)),
    ],
  };
}

function wrongEnd(task: CallerTask, { rolledBack, events }: FaultEvidence): string[] {
  const { taskId, statuses } = task;
  const end = finalStatus(task);
  if (end === 'missing') {
    const isRecoveryPoint = rolledBack.some(({ from, until }) => task.answeredAt >= from && task.askedAt <= until);
    return isRecoveryPoint ? [] : [`${taskId} was lost`];
  }
  if (end !== 'completed') return [`${taskId} ended as ${end}, but should have been completed`];
  const reopened = statuses.find(({ status }, index) => status === 'completed' && index < statuses.length - 1);
  const isRolledBack = rolledBack.some(({ from, until }) => reopened && reopened.at >= from && task.askedAt <= until);
  return [
    ...(task.videoSha256 === null ? [`${taskId} is completed, but its video cannot be downloaded`] : []),
    ...(reopened && !isRolledBack ? [`${taskId} was completed, and then something else`] : []),
    ...(events.some((event) => event.taskId === taskId && event.type === 'video.completed')
      ? []
      : [`${taskId} is completed, but there is no event that says so`]),
  ];
}

/** All prompts differ, so two tasks with the same video mean that one has the video of the other. */
function sharedVideos(tasks: readonly CallerTask[]): string[] {
  const byVideo = Map.groupBy(
    tasks.filter(({ videoSha256 }) => videoSha256 !== null),
    ({ videoSha256 }) => videoSha256,
  );
  return [...byVideo.values()]
    .filter((same) => same.length > 1)
    .map((same) => `${same.map(({ taskId }) => taskId).join(' and ')} have the same video`);
}

/** Returns jobs that engines accepted repeatedly; excused if the database was put back to before the first of them. */
function repetitions({ submits, rolledBack }: FaultEvidence): { jobId: string; isExcused: boolean }[] {
  return [...Map.groupBy(submits, ({ jobId }) => jobId)].flatMap(([jobId, same]) =>
    same.slice(1).map((repeated, index) => {
      const first = same[index] ?? repeated;
      return { jobId, isExcused: rolledBack.some(({ from, until }) => first.at >= from && repeated.at >= until) };
    }),
  );
}

function slowRecovery(
  { fault, at, secondsOf, readsAfterSeconds }: Probe,
  roundsEndedAt: readonly number[],
  recoverySeconds = 30,
): string[] {
  const isLate = (seconds: number | null): boolean => seconds === null || seconds > recoverySeconds;
  const describe = (seconds: number | null): string => (seconds === null ? 'never' : `after ${seconds} s`);
  return [
    ...Object.entries(secondsOf)
      .filter(([, seconds]) => isLate(seconds))
      .map(([endpoint, seconds]) => `after ${fault}, ${endpoint} first completed a new task ${describe(seconds)}`),
    ...(isLate(readsAfterSeconds) ? [`after ${fault}, reads were fast again ${describe(readsAfterSeconds)}`] : []),
    ...(roundsEndedAt.some((endedAt) => endedAt > at) ? [] : [`after ${fault}, no round of the reconciler ended`]),
  ];
}

function finalStatus({ statuses }: CallerTask): string {
  return statuses.at(-1)?.status ?? 'unread';
}

function timesCompleted({ statuses }: CallerTask): number {
  return statuses.filter(({ status }) => status === 'completed').length;
}

/** A job id is the task's id and the number of the attempt. */
function taskOf(jobId: string): string {
  return jobId.slice(0, jobId.lastIndexOf('-'));
}
