import type { EndpointStatus, ObservedStatus } from '../db/attempts/endpoint-state-table.ts';
import type { EndpointLeases } from '../db/attempts/lease-table.ts';
import type { LockSession } from '../db/connection/lock-session.ts';
import type { Database } from '../db/database.ts';
import { breakerStateOf, slotsToOffer } from '../domain/breaker.ts';
import type { Clock } from '../domain/clock.ts';
import type { EngineDescription } from '../engines/engine.ts';
import type { Endpoint } from '../engines/registry.ts';
import type { Log } from '../telemetry/log.ts';
import { drainLease } from './drain-lease.ts';
import { gather } from './gather.ts';
import type { SlotBoard } from './slot-board.ts';

const maintainEveryMilliseconds = 2_000;
const gatherMilliseconds = 100;
/** 30 s: an engine may be restarted with other models or slots, but a description costs more than a health check. */
const describeEveryMilliseconds = 30_000;
/** 10 s: operators never read an older status, and an idle endpoint costs one write per 10 s. */
const recordEveryMilliseconds = 10_000;
/** A slot is usually a GPU: an engine that claims more slots than this would only fill the table. */
const maximumSlots = 256;

/** What the owners of a process read and write in one statement each. */
export interface EndpointRows {
  leasesOf: (endpointId: string) => Promise<EndpointLeases>;
  record: (observed: ObservedStatus) => Promise<void>;
}

interface Dependencies {
  db: Database;
  rows: EndpointRows;
  board: SlotBoard;
  clock: Clock;
  log: Log;
  holdLock: LockSession['hold'];
}

export interface EndpointOwner {
  /** Starts a maintenance round at once instead of within 2 s. */
  maintainSoon(): void;
  /** Begins no more jobs there. Resolves once none runs and the lock is released; at once if another worker has it. */
  retire(): Promise<void>;
  /** Releases the lock at once; jobs continue at the engine. */
  close(): Promise<void>;
}

/** Rounds begin at these parts of a round, each at the same moment for a quarter of the endpoints. */
const phases = 4;

/** How long an endpoint waits for its next round: those that begin together are read together. */
function pauseMilliseconds(endpointId: string, now: number): number {
  const sum = Array.from(endpointId, (character) => character.charCodeAt(0)).reduce((one, other) => one + other, 0);
  const phase = ((sum % phases) * maintainEveryMilliseconds) / phases;
  return maintainEveryMilliseconds - ((now + maintainEveryMilliseconds - phase) % maintainEveryMilliseconds);
}

/** Reads and writes the rows of all endpoints that are looked at within a tenth of a second together. */
export function gatherRows({ db, clock }: Pick<Dependencies, 'db' | 'clock'>): EndpointRows {
  return {
    leasesOf: gather(clock, gatherMilliseconds, (ids) => db.leases.ofEndpoints(ids)),
    record: gather(clock, gatherMilliseconds, async (observed) => {
      await db.endpointStates.recordStatuses(observed);
      return [];
    }),
  };
}

/** The result of the last health check. */
interface Probe {
  isReady: boolean;
  reason: string | null;
  latencyMilliseconds: number;
}

/** While this process holds an endpoint's lock, only it begins jobs there. It probes, drains and offers slots. */
export function ownEndpoint(
  { db, rows, board, clock, log, holdLock }: Dependencies,
  endpoint: Endpoint,
): EndpointOwner {
  const { id, pool, engine } = endpoint;
  let isClosed = false;
  let isRetired = false;
  let description: { value: EngineDescription; at: number } | null = null;
  let recorded: { text: string; at: number } | null = null;
  let isMaintenanceDue = false;
  let wake: () => void = () => undefined;
  const maintainSoon = (): void => {
    isMaintenanceDue = true; // a round that runs right now may have read the state before it changed
    wake();
  };

  const lock = holdLock(`endpoint:${id}`, {
    onTaken: () => {
      log.info({ event: 'endpoint.owned', endpoint: id }, 'endpoint owned');
      maintainSoon();
    },
    onLost: (loss) => {
      board.remove(id);
      if (loss === 'given-up') log.info({ event: 'endpoint.given_up', endpoint: id }, 'endpoint given up');
      else log.warn({ event: 'endpoint.lost', endpoint: id }, 'endpoint lock lost');
    },
  });

  const probe = async (): Promise<Probe> => {
    const before = clock.elapsed();
    const health = await engine.health().catch(() => ({ isReady: false as const, reason: 'it does not respond' }));
    const latencyMilliseconds = Math.round(clock.elapsed() - before);
    // An engine that comes back is described again: it may have other models or another number of slots.
    if (!health.isReady) description = null;
    else if (description === null || clock.elapsed() - description.at >= describeEveryMilliseconds) {
      const described = await engine.describe().catch(() => null);
      if (described === null) return { isReady: false, reason: 'it does not describe itself', latencyMilliseconds };
      const slots = Math.min(described.slots, maximumSlots);
      if (slots !== description?.value.slots) await db.leases.ensureSlots(id, slots);
      description = { value: { ...described, slots }, at: clock.elapsed() };
    }
    return { ...health, reason: health.isReady ? null : health.reason, latencyMilliseconds };
  };

  /** Why the endpoint gets no jobs, in a few words for operators; null if it gets jobs. */
  const reasonOf = ({ isReady, reason }: Probe, leases: EndpointLeases): string | null => {
    if (isRetired) return 'it has left the models file';
    if (leases.drainedAt !== null) return 'an operator has drained it';
    if (!isReady) return reason;
    if (description && description.value.problems.length > 0) return description.value.problems.join(' ');
    if (breakerStateOf(leases, clock.now()) !== 'tripped') return null;
    return `${leases.consecutiveFailures} jobs failed in a row; tripped until ${leases.trippedUntil?.toISOString()}`;
  };

  const maintain = async (): Promise<void> => {
    if (!lock.isHeld()) {
      if (isRetired) isClosed = true; // its jobs are the owner's business
      return;
    }
    const probed = await probe();
    let leases = await rows.leasesOf(id);
    if (leases.draining.length > 0) {
      for (const lease of leases.draining) await drainLease({ db, clock, log }, engine, lease);
      leases = await rows.leasesOf(id);
    }
    const reason = reasonOf(probed, leases);
    const slots = description?.value.slots ?? 0;
    // Their rows are deleted while an endpoint is away for a day. The next round offers them.
    if (leases.freeSlots.length + leases.leased < slots) await db.leases.ensureSlots(id, slots);
    const free = leases.freeSlots.filter((slot) => slot < slots);
    if (!lock.isHeld()) return;
    // Must be stored before a job can begin: the job's outcome is recorded in this row.
    await recordStatus({ isAccepting: reason === null, reason, latencyMilliseconds: probed.latencyMilliseconds });
    const breaker = breakerStateOf(leases, clock.now());
    if (lock.isHeld()) board.refresh(id, reason === null, slotsToOffer(breaker, free, leases.leased));
    if (isRetired && leases.leased === 0) isClosed = true;
  };

  /** Stores the status if it changed, and every 10 s otherwise. A different latency alone is not a change. */
  const recordStatus = async (
    view: Pick<EndpointStatus, 'isAccepting' | 'reason' | 'latencyMilliseconds'>,
  ): Promise<void> => {
    const { engine: name = null, version = null, models = null, slots = 0 } = description?.value ?? {};
    const reason = view.reason?.slice(0, 500) ?? null;
    const status: EndpointStatus = { pool, slots, engine: name, version, models, ...view, reason };
    const text = JSON.stringify({ ...status, latencyMilliseconds: null });
    if (recorded?.text === text && clock.elapsed() - recorded.at < recordEveryMilliseconds) return;
    if (recorded?.text !== text) {
      if (view.isAccepting) log.info({ event: 'endpoint.accepting', endpoint: id, slots }, 'endpoint accepting jobs');
      else log.warn({ event: 'endpoint.unavailable', endpoint: id, reason }, 'endpoint unavailable');
    }
    recorded = { text, at: clock.elapsed() };
    await rows.record({ endpointId: id, status, at: clock.now() });
  };

  const run = async (): Promise<void> => {
    while (!isClosed) {
      isMaintenanceDue = false;
      await maintain().catch((error: unknown) => {
        board.stopOffering(id);
        log.warn({ event: 'endpoint.probe_failed', err: error, endpoint: id }, 'endpoint probe failed');
      });
      if (isMaintenanceDue || isClosed) continue;
      await new Promise<void>((resolve) => {
        const stop = clock.after(pauseMilliseconds(id, clock.elapsed()), resolve);
        wake = () => {
          stop();
          resolve();
        };
      });
    }
    board.remove(id); // before the lock is released: the next owner may share this board
    await lock.close();
  };
  const running = run();

  return {
    maintainSoon,
    retire: async () => {
      isRetired = true;
      board.stopOffering(id);
      maintainSoon();
      await running;
    },
    close: async () => {
      isClosed = true;
      maintainSoon(); // ends the pause, or the round that runs now, without another pause
      await running;
    },
  };
}
