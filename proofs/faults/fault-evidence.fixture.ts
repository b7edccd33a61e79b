import type { CallerTask, FaultEvidence, Submit } from './fault-evidence.ts';

/** A task that was answered at `at` and completed a second later. */
export function completedTask(taskId: string, at: number): CallerTask {
  const statuses = [
    { status: 'queued', at },
    { status: 'completed', at: at + 1000 },
  ];
  return { taskId, askedAt: at - 50, answeredAt: at, statuses, videoSha256: `sha of ${taskId}` };
}

export function submitOf(taskId: string, attempt: number, at: number): Submit {
  return { jobId: `${taskId}-${attempt}`, endpoint: 'north-1', at };
}

/** Evidence of ten tasks and one fault; what happened from 5,000 to 7,000 was rolled back, so the fifth task is missing. */
export function goodEvidence(fault: string): FaultEvidence {
  const tasks = Array.from({ length: 10 }, (_, index) => completedTask(`t${index}`, index * 1000));
  const submits = tasks.map(({ taskId, answeredAt }) => submitOf(taskId, 1, answeredAt + 100));
  const rolledBack = tasks[5];
  if (rolledBack) Object.assign(rolledBack, { statuses: [{ status: 'missing', at: 9000 }], videoSha256: null });
  const secondsOf = { 'north-1': 4, 'north-2': 5.5, 'north-3': 29.9 };
  return {
    tasks,
    submits,
    probes: [{ fault, at: 7500, secondsOf, readsAfterSeconds: 2 }],
    roundsEndedAt: [3000, 63_000],
    rolledBack: [{ from: 5000, until: 7000 }],
    events: tasks.map(({ taskId }) => ({ taskId, type: 'video.completed' })),
  };
}
