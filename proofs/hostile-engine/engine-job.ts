import type { Socket } from 'node:net';
import type { EngineClock } from './engine-clock.ts';
import type { Case } from './hostile-case.ts';
import type { Protocol } from './mutation.ts';

/** A job of the hostile server, which is an honest engine except for its lies. */
export interface EngineJob {
  id: string;
  case: Case;
  /** The clock of its engine. */
  clock: EngineClock;
  /** By that clock. */
  startedAt: number;
  /** When the engine says that it took the job, in milliseconds since 1970. */
  createdAt: number;
  /** The webhook that Kinora gave the engine. */
  webhook: string | null;
  isCancelled: boolean;
  /** When the engine first lied about it, by its clock; null before that. */
  liedAt: number | null;
}

/** One endpoint of a pool. */
export interface EngineState {
  name: string;
  protocol: Protocol;
  clock: EngineClock;
  jobs: Map<string, EngineJob>;
  /** Clients that listen to its progress, if its protocol has a socket for that. */
  sockets: Set<Socket>;
}

const runMilliseconds = 700;
/** Long enough for several polls of its progress. */
const watchedMilliseconds = 2_500;
/** A job that will be cancelled runs until the cancel comes, which can take long on a busy machine. */
const uncancelledMilliseconds = 120_000;
/** A job whose engine lied about the cancel ends by itself after this time, so that its slot becomes free. */
const liedMilliseconds = 10_000;

export function runTime(job: EngineJob): number {
  if (job.case.isCancelled)
    return job.liedAt === null ? uncancelledMilliseconds : job.liedAt - job.startedAt + liedMilliseconds;
  return job.case.mutation?.watchesProgress ? watchedMilliseconds : runMilliseconds;
}

export type HonestState = { state: 'running'; progress: number } | { state: 'succeeded' } | { state: 'cancelled' };

export function stateOf(job: EngineJob): HonestState {
  if (job.isCancelled) return { state: 'cancelled' };
  const elapsed = job.clock.now() - job.startedAt;
  return elapsed >= runTime(job)
    ? { state: 'succeeded' }
    : { state: 'running', progress: Math.floor((100 * elapsed) / runTime(job)) };
}
