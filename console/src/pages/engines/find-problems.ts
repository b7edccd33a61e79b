import type { Endpoint, EngineBoard } from '../../api/engines.ts';
import { formatDuration } from '../../design/format.ts';
import { failureText } from '../../tasks/failure-advice.ts';

/** Something about an endpoint that an operator should look at. */
export interface EndpointProblem {
  pool: string;
  endpoint: Endpoint;
  /** `broken`: it gets no jobs. `suspect`: it gets jobs, and something contradicts that it is well. */
  kind: 'broken' | 'suspect';
  word: string;
  text: string;
}

/** A failure this recent makes an endpoint that says it is well worth a look. */
const recentSeconds = 10 * 60;
/** Engines stop a cancelled job within seconds. */
const longDrainingSeconds = 2 * 60;
/** Longer than any known engine takes to its first step. */
const silentSeconds = 15 * 60;
/** A probe asks for a few bytes. */
const slowMilliseconds = 500;

/** Returns what is broken first, then what may be lying, in the order of the board. */
export function findProblems({ pools, generated_at }: EngineBoard): EndpointProblem[] {
  const problems = pools.flatMap((pool) =>
    pool.endpoints.flatMap((endpoint) => {
      const found = problemOf(endpoint, generated_at);
      return found ? [{ pool: pool.name, endpoint, ...found }] : [];
    }),
  );
  return [...problems.filter(({ kind }) => kind === 'broken'), ...problems.filter(({ kind }) => kind === 'suspect')];
}

function problemOf(endpoint: Endpoint, now: number): Pick<EndpointProblem, 'kind' | 'word' | 'text'> | null {
  const { state, reason, tripped_until, last_failure } = endpoint;
  const because = reason ?? '';
  const lastly = last_failure ? ` Last: ${failureText(last_failure)}` : '';
  if (state === 'tripped') {
    const left = tripped_until === null ? 0 : tripped_until - now;
    const again = left > 0 ? ` Next try in ${formatDuration(left)}.` : '';
    return { kind: 'broken', word: 'Tripped', text: `${because}${again}${lastly}` };
  }
  if (state === 'unreachable') return { kind: 'broken', word: 'Unreachable', text: because };
  if (state === 'unprobed') return { kind: 'broken', word: 'Not monitored', text: because };
  if (state === 'probation') return { kind: 'suspect', word: 'On probation', text: `${because}${lastly}` };
  const doubts = doubtsAbout(endpoint, now);
  return doubts.length === 0 ? null : { kind: 'suspect', word: 'Suspect', text: doubts.join(' ') };
}

function doubtsAbout(endpoint: Endpoint, now: number): string[] {
  const { slots, last_failure, last_failure_at, latency_milliseconds } = endpoint;
  const doubts: string[] = [];
  for (const { index, state, since, progress } of slots) {
    const age = since === null ? 0 : now - since;
    if (state === 'draining' && age > longDrainingSeconds)
      doubts.push(`Slot ${index} is still running a job that Kinora abandoned ${formatDuration(age)} ago.`);
    if (state === 'busy' && !progress && age > silentSeconds)
      doubts.push(`Slot ${index} has been busy for ${formatDuration(age)} without any progress.`);
  }
  if (last_failure_at !== null && now - last_failure_at < recentSeconds)
    doubts.push(
      `A job failed ${formatDuration(now - last_failure_at)} ago: ${failureText(last_failure ?? 'internal_error')}`,
    );
  if (latency_milliseconds !== null && latency_milliseconds > slowMilliseconds)
    doubts.push(`It takes ${latency_milliseconds} ms to respond.`);
  return doubts;
}
