import type { ProofOutcome } from '../proof.ts';
import type { Disruption, Evidence, ObservedCancel, ObservedTask, Shape } from './diffusion-evidence.ts';

const idleWithinSeconds = 3;
/** An engine that was idle before the cancel could not become idle through it. */
const leastBusyShare = 0.1;

/** How many tasks of each kind a run must have. */
export type Demand = Record<Disruption, number>;

/** Judges the evidence of a run, and nothing else. */
export function judgeDiffusion({ tasks, cancels }: Evidence, demand: Demand): ProofOutcome {
  const completed = tasks.filter(({ status }) => status === 'completed');
  const of = (disruption: Disruption): ObservedTask[] => tasks.filter((task) => task.disruption === disruption);
  const failures = [
    ...Object.entries(demand).flatMap(([disruption, least]) => {
      const count = tasks.filter((task) => task.disruption === disruption).length;
      return count < least
        ? [`too little was done: ${count} tasks of the kind "${disruption}"; ${least} are required`]
        : [];
    }),
    ...tasks.flatMap((task) => [
      ...objectionsToEnd(task),
      ...objectionsToVideo(task),
      ...objectionsToProgress(task),
      ...objectionsToSubmits(task),
    ]),
    ...objectionsToFrames(completed),
    ...(cancels.length < demand.cancelled ? ['too few cancels were measured'] : []),
    ...cancels.flatMap(objectionsToCancel),
  ];
  const recovered = [...of('engine killed'), ...of("engine's worker killed")];
  return {
    figures: {
      videos: completed.length,
      frames: completed.reduce((sum, { file }) => sum + (file?.digests.length ?? 0), 0),
      recipes: new Set(completed.map(({ recipe }) => recipe)).size,
      cancels: cancels.length,
      busyShareBeforeCancelLeast: rounded(Math.min(...cancels.map(({ busyShareBefore }) => busyShareBefore))),
      idleAfterCancelSecondsMost: rounded(Math.max(...cancels.map((cancel) => cancel.idleAfterSeconds ?? Infinity))),
      engineKills: of('engine killed').length,
      engineWorkerKills: of("engine's worker killed").length,
      completedInLaterAttempt: recovered.filter(({ status }) => status === 'completed').length,
      secondsToEndAfterEngineRestartMost: mostSeconds(recovered),
      workerKills: of('worker killed').length,
      secondsToEndAfterWorkerRestartMost: mostSeconds(of('worker killed')),
      attempts: tasks.reduce((sum, { attempts }) => sum + attempts.length, 0),
      submits: total(tasks.map(({ submits }) => submits)),
      renders: total(tasks.map(({ starts }) => starts)),
      progressValuesSeenMost: Math.max(0, ...tasks.map(progressValues)),
    },
    failures,
  };
}

function total(counts: readonly Record<string, number>[]): number {
  return counts.flatMap((one) => Object.values(one)).reduce((sum, count) => sum + count, 0);
}

/** Counts the different progress values that the engine reported for a task. */
function progressValues({ samples }: ObservedTask): number {
  return new Set(samples.filter(({ source }) => source === 'engine').map(({ progress }) => progress)).size;
}

function mostSeconds(tasks: readonly ObservedTask[]): number {
  return rounded(Math.max(0, ...tasks.map(({ secondsToEnd }) => secondsToEnd)));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function objectionsToEnd({ name, disruption, status, code, attempts, progressAtDisruption }: ObservedTask): string[] {
  const outcomes = attempts.map(({ outcome }) => outcome ?? 'none');
  const end = `${name}: the task ended as ${[status, code].filter(Boolean).join(' ')} after ${outcomes.join(', ')}`;
  if (status === 'queued' || status === 'in_progress')
    return [`${name}: the task hangs as ${status} (${outcomes.join(', ')})`];
  const isMidRun = progressAtDisruption !== null && progressAtDisruption > 0 && progressAtDisruption < 100;
  const early =
    disruption === 'none' || isMidRun ? [] : [`${name}: the task was not mid-run but at ${progressAtDisruption} %`];
  switch (disruption) {
    case 'none':
      return status === 'completed' && outcomes.join() === 'completed' ? [] : [end];
    case 'cancelled':
      return status === 'cancelled' && outcomes.join() === 'cancelled' ? early : [...early, end];
    case 'engine killed':
      return isRecovered(['engine_lost'], status, code, outcomes) ? early : [...early, end];
    case "engine's worker killed":
      return isRecovered(['engine_lost', 'engine_crashed'], status, code, outcomes) ? early : [...early, end];
    case 'worker killed': {
      const isTakenOver = attempts.some(({ takeovers }) => takeovers > 0);
      const wrong = status === 'completed' && outcomes.join() === 'completed' ? [] : [end];
      return [...early, ...wrong, ...(isTakenOver ? [] : [`${name}: no worker took the task over`])];
    }
  }
}

/** Whether the task completed in an attempt after the disrupted one, or failed with the code of the disruption. */
function isRecovered(codes: readonly string[], status: string, code: string | null, outcomes: string[]): boolean {
  const [first = '', ...later] = outcomes;
  if (!codes.includes(first)) return false;
  if (status === 'failed') return code !== null && codes.includes(code);
  // A server that is about to die or has just restarted may refuse a job, which costs no attempt.
  return status === 'completed' && later.filter((outcome) => outcome !== 'refused').join() === 'completed';
}

function objectionsToVideo({ name, status, wanted, reported, file }: ObservedTask): string[] {
  if (status !== 'completed')
    return reported === null ? [] : [`${name}: the task reports a video although it is ${status}`];
  const words = textOf(wanted);
  const objections: string[] = [];
  if (!reported || textOf(reported) !== words)
    objections.push(`${name}: the task reports ${reported && textOf(reported)}, not ${words}`);
  if (reported && reported.rendered !== wanted.rendered)
    objections.push(`${name}: the video was rendered on ${reported.rendered}, not ${wanted.rendered}`);
  const held = file && textOf({ ...file, frameCount: file.digests.length });
  if (held !== words) objections.push(`${name}: the file holds ${held}, not ${words}`);
  return objections;
}

function textOf({ width, height, fps, frameCount }: Shape): string {
  return `${frameCount} frames of ${width}x${height} at ${fps} fps`;
}

function objectionsToProgress({ name, disruption, samples }: ObservedTask): string[] {
  const objections: string[] = [];
  for (const [index, sample] of samples.entries()) {
    const before = samples[index - 1];
    if (before?.attempt === sample.attempt && before.progress > sample.progress)
      objections.push(`${name}: the progress fell from ${before.progress} to ${sample.progress}`);
    // Before the engine reports its first step, an estimate is right if it is labelled as one.
    if (sample.progress > 0 && sample.source !== 'engine' && sample.source !== 'estimated')
      objections.push(`${name}: the progress of ${sample.progress} comes from "${sample.source}"`);
  }
  // A short video may finish between two polls; a disrupted task is always long.
  const isSeen = samples.some(({ progress, source }) => progress > 0 && progress < 100 && source === 'engine');
  if (disruption !== 'none' && !isSeen) objections.push(`${name}: the engine's own progress was never seen`);
  return objections;
}

/** Each attempt submits one job, which the engine renders exactly once. */
function objectionsToSubmits({ name, attempts, submits, starts }: ObservedTask): string[] {
  const served = attempts.filter(({ outcome }) => outcome !== 'refused').length;
  return Object.entries({ submitted: submits, rendered: starts }).flatMap(([what, counts]) => {
    const jobs = Object.entries(counts);
    return [
      ...jobs.filter(([, count]) => count > 1).map(([job, count]) => `${name}: ${job} was ${what} ${count} times`),
      ...(jobs.length === served ? [] : [`${name}: ${jobs.length} jobs were ${what} in ${served} attempts`]),
    ];
  });
}

/** The same seed must give the same frames despite any disruption; another seed or image must give other frames. */
function objectionsToFrames(completed: readonly ObservedTask[]): string[] {
  const first = new Map<string, { name: string; digest: string }>();
  const objections: string[] = [];
  let repeated = 0;
  for (const { name, recipe, file } of completed) {
    const digest = file?.digests.join() ?? '';
    const same = first.get(recipe);
    if (!same) {
      for (const [other, seen] of first) {
        if (seen.digest === digest) objections.push(`${name} (${recipe}) has the frames of ${seen.name} (${other})`);
      }
      first.set(recipe, { name, digest });
      continue;
    }
    repeated += 1;
    if (same.digest !== digest)
      objections.push(`${name} has other frames than ${same.name}, which has the same recipe`);
  }
  if (repeated === 0) objections.push('too little was done: no recipe was rendered twice');
  if (first.size < 2) objections.push('too little was done: no two videos have different recipes');
  return objections;
}

function objectionsToCancel({ name, responseStatus, busyShareBefore, idleAfterSeconds }: ObservedCancel): string[] {
  const objections: string[] = [];
  if (responseStatus !== 'cancelled')
    objections.push(`${name}: the response to the cancel has the status ${responseStatus}`);
  if (busyShareBefore < leastBusyShare)
    objections.push(
      `${name}: the engine used only ${rounded(100 * busyShareBefore)} % of a processor before the cancel`,
    );
  if (idleAfterSeconds === null) objections.push(`${name}: the engine never became idle after the cancel`);
  else if (idleAfterSeconds > idleWithinSeconds)
    objections.push(`${name}: the engine was idle only ${rounded(idleAfterSeconds)} s after the cancel`);
  return objections;
}
