import type { StubJob } from '@kinora/stack/harness/stub-engine';
import type { ProofOutcome } from '../proof.ts';
import type { EngineEvidence, Evidence, Span, TaskEvidence } from './outages-evidence.ts';

/** A task that meets three faults in a row fails by the rules; more than a few would mean that breakers do nothing. */
const mostUsedUpShare = 0.02;
const attempts = 3;

const codesOfFaults = new Set(['engine_lost', 'engine_crashed', 'generation_stalled', 'engine_out_of_memory']);

export interface Planned {
  tasks: number;
  videos: number;
  /** The share of slot time at healthy endpoints that must be busy while tasks wait. */
  leastBusyShare: number;
}

/** Judges a run by the engines' own records. */
export function judgeOutages(evidence: Evidence, planned: Planned): ProofOutcome {
  const { tasks, engines, restarts } = evidence;
  const jobsOf = new Map<string, Readonly<StubJob>[]>();
  for (const job of engines.flatMap(({ jobs }) => jobs))
    jobsOf.set(job.taskId, [...(jobsOf.get(job.taskId) ?? []), job]);
  for (const jobs of jobsOf.values()) jobs.sort((one, other) => one.beganAt - other.beganAt);
  const usedUp = tasks.filter((task) => isUsedUp(task, jobsOf.get(task.taskId) ?? []));
  const healthy = engines.filter(({ fault }) => fault === null);
  const busy = healthy.map((engine) => ({ name: engine.name, share: busyShareOf(engine, evidence) }));
  const interruptible = jobsDuring(restarts, engines);
  const videos = tasks.filter(({ wanted, status }) => wanted === 'video' && status === 'completed').length;
  const all = engines.flatMap(({ jobs }) => jobs);
  const failures = [
    ...(tasks.length < planned.tasks ? [`only ${tasks.length} of ${planned.tasks} tasks were created`] : []),
    ...(videos < planned.videos * (1 - mostUsedUpShare)
      ? [`only ${videos} of ${planned.videos} videos were completed`]
      : []),
    ...tasks.flatMap((task) => (usedUp.includes(task) ? [] : wrongEnd(task))),
    ...(usedUp.length > Math.max(1, mostUsedUpShare * tasks.length)
      ? [`${usedUp.length} tasks failed after three faults, so the breakers sent too many tasks to broken endpoints`]
      : []),
    ...tasks.flatMap(({ taskId }) => repetitions(taskId, jobsOf.get(taskId) ?? [])),
    ...all
      .filter((job) => job.end === 'stopped' && !job.isStalled)
      .map(({ jobId }) => `${jobId} was stopped without a reason`),
    ...all.filter(({ endedAt }) => endedAt === null).map(({ jobId }) => `${jobId} is still running`),
    ...interruptible.flatMap((job) => interruptionOf(job, jobsOf.get(job.taskId) ?? [])),
    ...engines.flatMap(unnoticedFault),
    ...(restarts.length === 0 || interruptible.length === 0 ? ['no worker was restarted while jobs ran'] : []),
    ...busy
      .filter(({ share }) => share < planned.leastBusyShare)
      .map(({ name, share }) => `${name} was busy for ${percent(share)} of the time in which tasks waited`),
    ...engines
      .filter(({ jobsAfterwards }) => jobsAfterwards === 0)
      .map(({ name }) => `${name} got no jobs after all outages were over`),
  ];
  return {
    figures: {
      tasks: tasks.length,
      videos,
      rejections: tasks.filter(({ code }) => code === 'output_rejected').length,
      usedUpAttempts: usedUp.length,
      jobs: all.length,
      jobsKilled: all.filter(({ end }) => end === 'killed').length,
      jobsStalled: all.filter(({ isStalled }) => isStalled).length,
      jobsOutOfMemory: all.filter(({ end }) => end === 'out-of-memory').length,
      jobsRunningAtRestarts: interruptible.length,
      machineStalls: evidence.stalls.length,
      healthyBusyShareLeast: percent(Math.min(...busy.map(({ share }) => share))),
    },
    failures,
  };
}

function percent(share: number): string {
  return `${Math.round(1000 * share) / 10} %`;
}

/** Returns whether a task failed by the rules: each attempt met a fault, and its code is that of a fault. */
function isUsedUp({ status, code }: TaskEvidence, jobs: readonly StubJob[]): boolean {
  const met = jobs.filter(({ end, isStalled }) => end === 'killed' || end === 'out-of-memory' || isStalled).length;
  return status === 'failed' && code !== null && codesOfFaults.has(code) && met >= attempts;
}

function wrongEnd({ taskId, wanted, status, code, videoBytes }: TaskEvidence): string[] {
  const isRight = wanted === 'video' ? status === 'completed' && videoBytes > 0 : code === 'output_rejected';
  return isRight
    ? []
    : [`${taskId} ended as ${status} ${code ?? `with ${videoBytes} bytes`}, but should have ended with a ${wanted}`];
}

/** A job that delivered its result must be the task's last one, and no two jobs of a task may run at once. */
function repetitions(taskId: string, jobs: readonly StubJob[]): string[] {
  if (jobs.length === 0) return [`${taskId} never reached an engine`];
  return jobs.slice(1).flatMap((job, index) => {
    const before = jobs.slice(0, index + 1);
    if (before.some(({ isDelivered }) => isDelivered))
      return [`${taskId} ran after a job of it had delivered its result`];
    const isBeside = before.some(({ endedAt }) => endedAt === null || endedAt > job.beganAt);
    return isBeside ? [`${taskId} ran twice at the same time`] : [];
  });
}

/** Returns the jobs that ran during a restart and that no fault interrupted. */
function jobsDuring(restarts: readonly Span[], engines: readonly EngineEvidence[]): Readonly<StubJob>[] {
  const untouched = engines.flatMap(({ jobs }) => jobs).filter((job) => !job.isStalled && job.end !== 'killed');
  return untouched.filter((job) =>
    restarts.some(({ from }) => job.beganAt < from && (job.endedAt === null || job.endedAt > from)),
  );
}

function interruptionOf(job: StubJob, jobs: readonly StubJob[]): string[] {
  if (job.end === 'out-of-memory') return [];
  const isLast = jobs.at(-1) === job;
  return job.end === 'stopped' || !isLast ? [`the restart of the worker interrupted ${job.jobId}`] : [];
}

function unnoticedFault({ name, fault, jobs }: EngineEvidence): string[] {
  if (fault === null) return [];
  const isHit = ({ end, isStalled }: StubJob): boolean =>
    fault.kind === 'killed' ? end === 'killed' : fault.kind === 'stalled' ? isStalled : end === 'out-of-memory';
  return jobs.some(isHit) ? [] : [`${name} was ${fault.kind}, but no job was affected`];
}

/** Returns the share of slot time that was busy while tasks of the pool waited, without the time of restarts and stalls. */
function busyShareOf({ pool, slots, jobs }: EngineEvidence, { crowded, restarts, stalls }: Evidence): number {
  const window = crowded[pool];
  if (!window) return 0;
  const parts = without(window, [...restarts, ...stalls]);
  const offered = slots * parts.reduce((sum, { from, until }) => sum + until - from, 0);
  const used = jobs
    .flatMap(({ beganAt, endedAt }) =>
      parts.map((part) => overlap(part, { from: beganAt, until: endedAt ?? part.until })),
    )
    .reduce((sum, milliseconds) => sum + milliseconds, 0);
  return offered === 0 ? 0 : used / offered;
}

function overlap(one: Span, other: Span): number {
  return Math.max(0, Math.min(one.until, other.until) - Math.max(one.from, other.from));
}

function without(window: Span, holes: readonly Span[]): Span[] {
  return holes.reduce<Span[]>(
    (parts, hole) =>
      parts.flatMap(({ from, until }) =>
        [
          { from, until: Math.min(until, hole.from) },
          { from: Math.max(from, hole.until), until },
        ].filter((part) => part.until > part.from),
      ),
    [window],
  );
}
