import type { EndpointState } from '../db/attempts/endpoint-state-table.ts';
import { isSeen } from '../domain/seen-endpoint.ts';
import type { EndpointDescription } from '../engines/create-engine.ts';
import type { EndpointProbe } from '../engines/probe-endpoint.ts';

/** A report about one endpoint, for operators. */
export interface EndpointReport {
  endpoint: string;
  pool: string;
  engine: string;
  /** `ok`, or what is wrong: why it takes no job, and what does not fit the models file. */
  health: string;
  version: string | null;
  models: readonly string[] | null;
  latencyMilliseconds: number | null;
  /** The state that the service has stored: whether the endpoint gets jobs, and if not, why. */
  state: string;
  slots: { busy: number; total: number } | null;
}

export const reportColumns = ['endpoint', 'pool', 'engine', 'health', 'version', 'models', 'latency', 'slots', 'state'];

interface Known {
  description: EndpointDescription;
  probe: EndpointProbe;
  /** Null if no worker has ever owned the endpoint; `unreachable` if Postgres does not respond. */
  state: EndpointState | 'unreachable' | null;
  leased: { slots: number; leased: number } | null;
  now: Date;
}

/** Combines what the endpoint reports about itself with what the service knows about it. */
export function reportEndpoint({ description, probe, state, leased, now }: Known): EndpointReport {
  const problems = [...(probe.reason === null ? [] : [probe.reason]), ...(probe.description?.problems ?? [])];
  const total = probe.description?.slots ?? leased?.slots ?? null;
  return {
    endpoint: description.id,
    pool: description.pool,
    engine: description.engine,
    health: problems.length === 0 ? 'ok' : problems.join(' '),
    version: probe.description?.version ?? null,
    models: probe.description?.models ?? null,
    latencyMilliseconds: probe.latencyMilliseconds,
    state: describeState(state, now),
    slots: total === null ? null : { busy: leased?.leased ?? 0, total },
  };
}

export function reportRow(report: EndpointReport): string[] {
  const { latencyMilliseconds, slots } = report;
  return [
    report.endpoint,
    report.pool,
    report.engine,
    report.health,
    report.version ?? '–',
    report.models?.join(', ') ?? '–',
    latencyMilliseconds === null ? '–' : `${latencyMilliseconds} ms`,
    slots ? `${slots.busy}/${slots.total} busy` : '–',
    report.state,
  ];
}

function describeState(state: Known['state'], now: Date): string {
  if (state === 'unreachable') return 'unknown: Postgres does not respond';
  if (state?.drainedAt) return `drained by an operator since ${state.drainedAt.toISOString()}`;
  if (!state?.seenAt) return 'no worker has probed it yet';
  if (!isSeen(state)) return `no worker has probed it since ${state.seenAt.toISOString()}`;
  if (state.trippedUntil && state.trippedUntil > now)
    return `tripped until ${state.trippedUntil.toISOString()} after ${state.consecutiveFailures} × ${state.lastFailure ?? 'failure'}`;
  return state.isAccepting ? 'accepting' : `not accepting: ${state.reason ?? 'reason unknown'}`;
}
