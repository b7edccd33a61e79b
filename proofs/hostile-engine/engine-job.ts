import type { Socket } from 'node:net';
import type { Case } from './hostile-case.ts';
import type { Protocol } from './mutation.ts';

/** A job as the hostile server keeps it; beneath the lies it is an honest engine. */
export interface EngineJob {
  id: string;
  case: Case;
  startedAt: number;
  /** Where its engine was told to call back. */
  webhook: string | null;
  isCancelled: boolean;
  /** When it was first lied about, in milliseconds since 1970; null until then. */
  liedAt: number | null;
}

/** One endpoint of a pool. */
export interface EngineState {
  name: string;
  protocol: Protocol;
  jobs: Map<string, EngineJob>;
  /** Those who listen to its progress, where it has a socket for that. */
  sockets: Set<Socket>;
}

const runMilliseconds = 700;
/** Long enough to be asked for its progress several times. */
const watchedMilliseconds = 2_500;
/** A job that is to be cancelled runs until it is asked to end, however long a busy machine takes to ask. */
const unaskedMilliseconds = 120_000;
/** A job whose cancel was lied about ends by itself, so that its slot comes free. */
const liedMilliseconds = 10_000;

export function runTime(job: EngineJob): number {
  if (job.case.isCancelled)
    return job.liedAt === null ? unaskedMilliseconds : job.liedAt - job.startedAt + liedMilliseconds;
  return job.case.mutation?.watchesProgress ? watchedMilliseconds : runMilliseconds;
}

export type HonestState = { state: 'running'; progress: number } | { state: 'succeeded' } | { state: 'cancelled' };

export function stateOf(job: EngineJob): HonestState {
  if (job.isCancelled) return { state: 'cancelled' };
  const elapsed = Date.now() - job.startedAt;
  return elapsed >= runTime(job)
    ? { state: 'succeeded' }
    : { state: 'running', progress: Math.floor((100 * elapsed) / runTime(job)) };
}
