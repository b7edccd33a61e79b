import type { ProofOutcome } from '../proof.ts';
import type { Blow, Evidence, SeenCancel, SeenTask, Shape } from './diffusion-evidence.ts';

const idleWithinSeconds = 3;
/** An engine that did nothing before could not become idle. */
const leastBusyShare = 0.1;

/** How many tasks of each kind there must be. */
export type Demand = Record<Blow, number>;

/** Holds what was seen against the promise; nothing in here looks at anything else. */
export function judgeDiffusion({ tasks, cancels }: Evidence, demand: Demand): ProofOutcome {
  const completed = tasks.filter(({ status }) => status === 'completed');
  const of = (blow: Blow): SeenTask[] => tasks.filter((task) => task.blow === blow);
  const failures = [
    ...Object.entries(demand).flatMap(([blow, least]) => {
      const count = tasks.filter((task) => task.blow === blow).length;
      return count < least ? [`too little was done: ${count} tasks of the kind "${blow}", ${least} are needed`] : [];
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

/** How many different steps were seen of a task. */
function progressValues({ samples }: SeenTask): number {
  return new Set(samples.filter(({ source }) => source === 'engine').map(({ progress }) => progress)).size;
}

function mostSeconds(tasks: readonly SeenTask[]): number {
  return rounded(Math.max(0, ...tasks.map(({ secondsToEnd }) => secondsToEnd)));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function objectionsToEnd({ name, blow, status, code, attempts, progressAtBlow }: SeenTask): string[] {
  const outcomes = attempts.map(({ outcome }) => outcome ?? 'none');
  const end = `${name}: it ended as ${[status, code].filter(Boolean).join(' ')} after ${outcomes.join(', ')}`;
  if (status === 'queued' || status === 'in_progress')
    return [`${name}: it hangs as ${status} (${outcomes.join(', ')})`];
  const isMidRun = progressAtBlow !== null && progressAtBlow > 0 && progressAtBlow < 100;
  const early = blow === 'none' || isMidRun ? [] : [`${name}: it was not mid-run but at ${progressAtBlow} %`];
  switch (blow) {
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
      return [...early, ...wrong, ...(isTakenOver ? [] : [`${name}: no worker took it over`])];
    }
  }
}

/** Completed in a later attempt than the one that was hit, or failed with a code that says what hit it. */
function isRecovered(codes: readonly string[], status: string, code: string | null, outcomes: string[]): boolean {
  const [first = '', ...later] = outcomes;
  if (!codes.includes(first)) return false;
  if (status === 'failed') return code !== null && codes.includes(code);
  // A server that is about to die, or has just come back, may refuse: that costs no attempt.
  return status === 'completed' && later.filter((outcome) => outcome !== 'refused').join() === 'completed';
}

function objectionsToVideo({ name, status, wanted, said, file }: SeenTask): string[] {
  if (status !== 'completed') return said === null ? [] : [`${name}: it shows a video although it is ${status}`];
  const words = textOf(wanted);
  const objections: string[] = [];
  if (!said || textOf(said) !== words)
    objections.push(`${name}: the task tells of ${said && textOf(said)}, not ${words}`);
  if (said && said.rendered !== wanted.rendered)
    objections.push(`${name}: it was rendered on ${said.rendered}, not ${wanted.rendered}`);
  const held = file && textOf({ ...file, frameCount: file.digests.length });
  if (held !== words) objections.push(`${name}: the file holds ${held}, not ${words}`);
  return objections;
}

function textOf({ width, height, fps, frameCount }: Shape): string {
  return `${frameCount} frames of ${width}x${height} at ${fps} fps`;
}

function objectionsToProgress({ name, blow, samples }: SeenTask): string[] {
  const objections: string[] = [];
  for (const [index, sample] of samples.entries()) {
    const before = samples[index - 1];
    if (before?.attempt === sample.attempt && before.progress > sample.progress)
      objections.push(`${name}: its progress fell from ${before.progress} to ${sample.progress}`);
    // Before the engine tells of its first step, an estimate is honest, as long as it is called one.
    if (sample.progress > 0 && sample.source !== 'engine' && sample.source !== 'estimated')
      objections.push(`${name}: its progress of ${sample.progress} comes from "${sample.source}"`);
  }
  // A short video may be done between two looks; one that something is done to is long.
  const isSeen = samples.some(({ progress, source }) => progress > 0 && progress < 100 && source === 'engine');
  if (blow !== 'none' && !isSeen) objections.push(`${name}: none of the engine's steps was seen as progress`);
  return objections;
}

/** The engine is handed a job for each attempt and renders it, and none twice. */
function objectionsToSubmits({ name, attempts, submits, starts }: SeenTask): string[] {
  const served = attempts.filter(({ outcome }) => outcome !== 'refused').length;
  return Object.entries({ submitted: submits, rendered: starts }).flatMap(([what, counts]) => {
    const jobs = Object.entries(counts);
    return [
      ...jobs.filter(([, count]) => count > 1).map(([job, count]) => `${name}: ${job} was ${what} ${count} times`),
      ...(jobs.length === served ? [] : [`${name}: ${jobs.length} jobs were ${what} in ${served} attempts`]),
    ];
  });
}

/** Same seed, same frames, whatever happened on the way; another seed or image, other frames. */
function objectionsToFrames(completed: readonly SeenTask[]): string[] {
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
      objections.push(`${name} has other frames than ${same.name}, which was asked for alike`);
  }
  if (repeated === 0) objections.push('too little was done: nothing was rendered twice');
  if (first.size < 2) objections.push('too little was done: no two videos were to differ');
  return objections;
}

function objectionsToCancel({ name, answered, busyShareBefore, idleAfterSeconds }: SeenCancel): string[] {
  const objections: string[] = [];
  if (answered !== 'cancelled') objections.push(`${name}: the cancel was answered with ${answered}`);
  if (busyShareBefore < leastBusyShare)
    objections.push(`${name}: the engine was at ${rounded(100 * busyShareBefore)} % of a processor before the cancel`);
  if (idleAfterSeconds === null) objections.push(`${name}: the engine computed on after the cancel`);
  else if (idleAfterSeconds > idleWithinSeconds)
    objections.push(`${name}: the engine was idle only ${rounded(idleAfterSeconds)} s after the cancel`);
  return objections;
}
