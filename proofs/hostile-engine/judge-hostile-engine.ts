import type { ProofOutcome } from '../proof.ts';
import { withoutSignatures } from '../without-signatures.ts';
import type { Evidence, ObservedTask } from './hostile-evidence.ts';
import { type End, protocols } from './mutation.ts';

const megabyte = 1024 * 1024;
/** Hundreds of tasks at once need some of this even with honest engines; the hostile engines send a multiple of it. */
const growthLimitBytes = 400 * megabyte;
/** Words that only an engine writes. */
const innerWords = /zq-engine|zq_unknown|\/opt\/|sk-engine|traceback|cuda|torch|ECONN|undici|<html|node:|169\.254/i;

/** Kinora's own error messages, the only ones that a caller may read. */
const ownTexts: Record<Exclude<End, 'completed' | 'cancelled'>, string> = {
  engine_unavailable: 'No engine was available to render the video. Try again later.',
  engine_out_of_memory: 'The engine ran out of memory. Try a smaller resolution or a shorter duration.',
  engine_rejected_input: 'The engine cannot render this input. Change the prompt or the image.',
  engine_crashed: 'The engine crashed while rendering, each time it was tried. Try again later.',
  engine_lost: 'The engine lost the job, each time it was tried. Try again later.',
  generation_stalled: 'The engine stopped making progress, each time it was tried. Try again later.',
  deadline_exceeded: 'The task took longer than is allowed here. Try again, or try a shorter duration.',
  output_invalid: 'The engine did not deliver a usable video. Try again with another seed.',
  output_rejected: 'The video was rejected after rendering. Change the prompt.',
};

export interface Demand {
  mutatedResponses: number;
  /** Tasks whose engine lied. */
  hostileTasks: number;
  honestTasks: number;
  filesDecoded: number;
  sentMegabytes: number;
}

/** Judges the evidence of a run, and nothing else. */
export function judgeHostileEngine(
  { tasks, roles, canaryConnections, sentBytes }: Evidence,
  demand: Demand,
): ProofOutcome {
  const hostile = tasks.filter(({ mutatedResponses }) => mutatedResponses !== null);
  const mutatedResponses = hostile.reduce((sum, task) => sum + (task.mutatedResponses ?? 0), 0);
  const figures: ProofOutcome['figures'] = {
    hostileTasks: hostile.length,
    honestTasks: tasks.length - hostile.length,
    mutatedResponses,
    sentMegabytes: inMegabytes(sentBytes),
    filesDecoded: tasks.filter(({ file }) => file !== null).length,
    slowestSeconds: Math.round(Math.max(0, ...tasks.map(({ seconds }) => seconds))),
  };
  const failures = tasks.flatMap((task) => objectionsTo(task).map((text) => `${task.name}: ${text}`));
  for (const [name, least] of Object.entries(demand)) {
    if (Number(figures[name]) < least) failures.push(`too little was done: ${name} is ${figures[name]} of ${least}`);
  }
  for (const connection of canaryConnections)
    failures.push(`a connection was made to an address that only an engine named: ${connection}`);
  for (const { role, warmBytes, peakBytes, hasEnded, fatalLines } of roles) {
    const growthBytes = peakBytes - warmBytes;
    if (growthBytes > growthLimitBytes) failures.push(`${role} grew by ${inMegabytes(growthBytes)} MB`);
    if (hasEnded) failures.push(`${role} exited by itself`);
    for (const line of fatalLines) failures.push(`${role} logged a fatal error: ${line.slice(0, 300)}`);
    figures[`${role}WarmMegabytes`] = inMegabytes(warmBytes);
    figures[`${role}PeakMegabytes`] = inMegabytes(peakBytes);
  }
  for (const protocol of protocols) {
    const count = hostile.filter((task) => task.protocol === protocol).length;
    if (count > 0) figures[`${protocol}Tasks`] = count;
  }
  const ends = Map.groupBy(tasks, endOf);
  for (const [end, those] of ends) figures[end] = those.length;
  return { figures, failures };
}

function endOf({ status, error }: ObservedTask): string {
  return status === 'failed' ? (error?.code ?? 'failed without an error') : status;
}

function objectionsTo(task: ObservedTask): string[] {
  const { ends, status, error, mutatedResponses, progress, publicText } = task;
  const objections: string[] = [];
  const end = endOf(task);
  if (!['completed', 'failed', 'cancelled'].includes(status))
    objections.push(`the task never ended: it is ${status} after ${Math.round(task.seconds)} s`);
  else if (!ends.some((right) => right === end))
    objections.push(`the task ended as ${end} and not as ${ends.join(' or ')}`);
  if (mutatedResponses === 0)
    objections.push('the engine never had to lie: Kinora did not send the request that it lies about');
  if (status === 'completed') objections.push(...objectionsToVideo(task));
  else if (task.video !== null) objections.push('the task has a video although it is not completed');
  if (error !== null && error.message !== Object.entries(ownTexts).find(([code]) => code === error.code)?.[1]) {
    objections.push(`the error says "${error.message.slice(0, 100)}", which is not Kinora's own text`);
  }
  const [word] = innerWords.exec(withoutSignatures(publicText)) ?? [];
  if (word !== undefined) objections.push(`the API says "${word}", which only the engine can have written`);
  for (const [index, now] of progress.entries()) {
    const before = progress[index - 1];
    if (!(now.progress >= 0 && now.progress <= 100)) objections.push(`the progress was ${now.progress}`);
    if (before?.attempt === now.attempt && now.progress < before.progress)
      objections.push(`the progress fell from ${before.progress} to ${now.progress}`);
  }
  return objections;
}

function objectionsToVideo({ video, expected, file }: ObservedTask): string[] {
  const { width, height, fps, frameCount } = expected.shape;
  const objections: string[] = [];
  if (video?.width !== width || video.height !== height || video.fps !== fps || video.frameCount !== frameCount) {
    objections.push(`the task completed with ${JSON.stringify(video)} instead of ${JSON.stringify(expected.shape)}`);
  }
  if (file && (file.width !== width || file.height !== height || file.frameCount !== frameCount)) {
    objections.push(`the file has ${file.frameCount} frames of ${file.width}x${file.height}`);
  }
  if (file && file.colour !== expected.colour)
    objections.push(`the file is ${file.colour} instead of ${expected.colour}, so it belongs to another job`);
  return objections;
}

function inMegabytes(bytes: number): number {
  return Math.round(bytes / megabyte);
}
