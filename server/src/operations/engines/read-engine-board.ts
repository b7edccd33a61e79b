import type { EndpointState } from '../../db/attempts/endpoint-state-table.ts';
import type { BoardSlot, PoolBacklog } from '../../db/attempts/engine-board-table.ts';
import type { Database } from '../../db/database.ts';
import { breakerStateOf } from '../../domain/breaker.ts';
import type { Catalogue } from '../../domain/catalogue.ts';
import type { Clock } from '../../domain/clock.ts';
import { animatic } from '../../domain/model.ts';
import { isSeen } from '../../domain/seen-endpoint.ts';

interface Dependencies {
  db: Pick<Database, 'endpointStates' | 'engineBoard'>;
  clock: Clock;
  catalogue: () => Catalogue;
  /** The endpoints of the models file, and nothing of them that is secret. */
  endpoints: () => readonly { id: string; pool: string; engine: string }[];
}

/**
 * Whether an endpoint gets jobs. `draining`: an operator took it out of service, and jobs still run there; `drained`: none
 * do. `tripped`: its breaker keeps jobs away; `probation`: it gets one job at a time until one succeeds. `unreachable`: it
 * does not respond, or responds that it is not ready. `unprobed`: no worker looks after it.
 */
type EndpointBoardState = 'accepting' | 'draining' | 'drained' | 'tripped' | 'probation' | 'unreachable' | 'unprobed';

export interface EndpointOnBoard {
  id: string;
  engine: string;
  version: string | null;
  state: EndpointBoardState;
  /** Since when it is in this state; null if that is not known. */
  since: Date | null;
  /** Why it is in this state; null while it is accepting jobs. */
  reason: string | null;
  lastFailure: string | null;
  lastFailureAt: Date | null;
  trippedUntil: Date | null;
  latencyMilliseconds: number | null;
  seenAt: Date | null;
  slots: SlotOnBoard[];
}

export interface SlotOnBoard {
  index: number;
  /** `draining`: its task was cancelled, retried or taken over, and the engine still works on the job. */
  state: 'busy' | 'idle' | 'draining';
  taskId: string | null;
  projectId: string | null;
  livemode: boolean | null;
  since: Date | null;
  progress: number | null;
}

export interface PoolOnBoard {
  name: string;
  models: string[];
  waiting: number;
  oldestWaitingAt: Date | null;
  endpoints: EndpointOnBoard[];
}

/** Returns what every slot of every pool does now. Its cost depends on the slots and projects, not on the backlog. */
export async function readEngineBoard(
  dependencies: Dependencies,
): Promise<{ generatedAt: Date; pools: PoolOnBoard[] }> {
  const { db, clock, catalogue } = dependencies;
  const [states, slots, backlogs] = await Promise.all([
    db.endpointStates.list(),
    db.engineBoard.slots(),
    db.engineBoard.poolBacklogs(),
  ]);
  const now = clock.now();
  const known = dependencies.endpoints();
  const endpoints = [...known, ...retiredEndpoints(states, slots, known)].map(({ pool, ...description }) => ({
    pool,
    endpoint: endpointOnBoard({
      description,
      isRetired: !known.some(({ id }) => id === description.id),
      state: states.find(({ endpointId }) => endpointId === description.id) ?? null,
      slots: slots.filter(({ endpointId }) => endpointId === description.id),
      now,
    }),
  }));
  // Test mode is rendered by the animatic even if no model of the file is served by it.
  const models = catalogue().models.some(({ id }) => id === animatic.id)
    ? catalogue().models
    : [...catalogue().models, animatic];
  const names = new Set([...endpoints.map(({ pool }) => pool), ...backlogs.map(({ pool }) => pool)]);
  const pools = Array.from(names, (name) => ({
    name,
    models: models.filter(({ pool }) => pool === name).map(({ id }) => id),
    ...backlogOf(backlogs, name),
    endpoints: endpoints.filter(({ pool }) => pool === name).map(({ endpoint }) => endpoint),
  }));
  return { generatedAt: now, pools };
}

/** Returns endpoints that have left the models file while jobs run there. */
function retiredEndpoints(
  states: readonly EndpointState[],
  slots: readonly BoardSlot[],
  known: readonly { id: string }[],
): { id: string; pool: string; engine: string }[] {
  return states
    .filter(
      ({ endpointId }) =>
        !known.some(({ id }) => id === endpointId) &&
        slots.some((slot) => slot.endpointId === endpointId && slot.taskId !== null),
    )
    .map(({ endpointId, pool, engine }) => ({ id: endpointId, pool, engine: engine ?? 'unknown' }));
}

function backlogOf(backlogs: readonly PoolBacklog[], name: string) {
  const { waiting = 0, oldestWaitingAt = null } = backlogs.find(({ pool }) => pool === name) ?? {};
  return { waiting, oldestWaitingAt };
}

interface Known {
  description: { id: string; engine: string };
  isRetired: boolean;
  /** Null if no worker has ever owned the endpoint. */
  state: EndpointState | null;
  slots: readonly BoardSlot[];
  now: Date;
}

function endpointOnBoard(endpoint: Known): EndpointOnBoard {
  const { description, state, slots } = endpoint;
  return {
    ...description,
    engine: state?.engine ?? description.engine,
    version: state?.version ?? null,
    ...judgeState(endpoint),
    lastFailure: state?.lastFailure ?? null,
    lastFailureAt: state?.lastFailureAt ?? null,
    trippedUntil: state?.trippedUntil ?? null,
    latencyMilliseconds: state?.latencyMilliseconds ?? null,
    seenAt: state?.seenAt ?? null,
    // An engine that was restarted with fewer slots leaves rows behind.
    slots: slots.filter(({ slot, taskId }) => taskId !== null || slot < (state?.slots ?? 0)).map(slotOnBoard),
  };
}

/** What an operator decided comes first, then what no worker observes any more, then what a worker observed. */
function judgeState({ state, slots, isRetired, now }: Known): Pick<EndpointOnBoard, 'state' | 'since' | 'reason'> {
  const isBusy = slots.some(({ taskId }) => taskId !== null);
  if (isRetired) return { state: 'draining', since: null, reason: 'It was removed from the models file.' };
  if (state?.drainedAt) {
    const reason = isBusy ? 'An operator has drained it, and jobs still run.' : 'An operator has drained it.';
    return { state: isBusy ? 'draining' : 'drained', since: state.drainedAt, reason };
  }
  if (!state?.seenAt) return { state: 'unprobed', since: null, reason: 'No worker has probed it yet.' };
  if (!isSeen(state)) return { state: 'unprobed', since: state.seenAt, reason: 'No worker probes it any longer.' };
  const breaker = breakerStateOf(state, now);
  const failures = `${state.consecutiveFailures} ${state.consecutiveFailures === 1 ? 'job' : 'jobs'} failed in a row.`;
  if (breaker === 'tripped') return { state: 'tripped', since: state.lastFailureAt, reason: failures };
  if (!state.isAccepting)
    return { state: 'unreachable', since: state.statusSince, reason: state.reason ?? 'Reason unknown.' };
  if (breaker === 'probation')
    return {
      state: 'probation',
      since: state.trippedUntil,
      reason: `${failures} It gets one job at a time until one succeeds.`,
    };
  return { state: 'accepting', since: state.statusSince, reason: null };
}

function slotOnBoard({ slot, taskId, projectId, livemode, isHeld, since, progress }: BoardSlot): SlotOnBoard {
  const state = taskId === null ? 'idle' : isHeld ? 'busy' : 'draining';
  return { index: slot, state, taskId, projectId, livemode, since, progress: taskId === null ? null : progress };
}
