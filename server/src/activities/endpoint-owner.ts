import type { AdvisoryLock } from '../db/advisory-lock.ts';
import type { Database } from '../db/database.ts';
import type { EndpointSight } from '../db/endpoint-states.ts';
import type { EndpointLook } from '../db/leases.ts';
import { slotsToOffer, standingOf } from '../domain/breaker.ts';
import type { Clock } from '../domain/clock.ts';
import type { EngineDescription } from '../engines/engine.ts';
import type { Endpoint } from '../engines/registry.ts';
import type { Log } from '../telemetry/log.ts';
import { drainLease } from './drain-lease.ts';
import type { SlotBoard } from './slot-board.ts';

const tendEveryMilliseconds = 2_000;
/** An operator may have started it with other models or slots; a description costs more than a health check. */
const describeEveryMilliseconds = 30_000;
/** What operators read is never older, and an endpoint at rest costs a write every ten seconds. */
const seeEveryMilliseconds = 10_000;
/** An engine that claims more would only fill a table: its slots are GPUs. */
const maximumSlots = 256;

interface Dependencies {
  db: Database;
  board: SlotBoard;
  clock: Clock;
  log: Log;
  holdLock: (name: string, listeners: { onTaken: () => void; onLost: () => void }) => AdvisoryLock;
}

export interface EndpointOwner {
  /** Looks at the endpoint at once instead of within two seconds. */
  tendSoon(): void;
  /** Begins no more jobs there and sees those that run to their end; settles when none is left and the lock is given back. */
  retire(): Promise<void>;
  /** Gives the lock back at once; jobs go on. */
  close(): Promise<void>;
}

/** What the engine answered last. */
interface Probe {
  isReady: boolean;
  reason: string | null;
  latencyMilliseconds: number;
}

/**
 * While this process holds an endpoint's lock it is the only one that begins jobs there: it probes the engine's health, drains
 * leases whose task went another way, and tells the board which slots are free.
 */
export function ownEndpoint({ db, board, clock, log, holdLock }: Dependencies, endpoint: Endpoint): EndpointOwner {
  const { id, pool, engine } = endpoint;
  let isClosed = false;
  let isRetired = false;
  let description: { answer: EngineDescription; at: number } | null = null;
  let seen: { text: string; at: number } | null = null;
  let isAskedToTend = false;
  let wake: () => void = () => undefined;
  const tendSoon = (): void => {
    isAskedToTend = true; // it may be looking right now, and have looked past what has just changed
    wake();
  };

  const lock = holdLock(`endpoint:${id}`, {
    onTaken: () => {
      log.info({ endpoint: id }, 'endpoint owned');
      tendSoon();
    },
    onLost: () => {
      board.remove(id);
      log.warn({ endpoint: id }, 'endpoint lost: its lock is gone with the connection');
    },
  });

  const probe = async (): Promise<Probe> => {
    const before = performance.now();
    const health = await engine.health().catch(() => ({ isReady: false as const, reason: 'it does not answer' }));
    const latencyMilliseconds = Math.round(performance.now() - before);
    // Described again whenever it comes back: it may have been started with other models or another number of slots.
    if (!health.isReady) description = null;
    else if (description === null || performance.now() - description.at >= describeEveryMilliseconds) {
      const answer = await engine.describe().catch(() => null);
      if (answer === null) return { isReady: false, reason: 'it does not describe itself', latencyMilliseconds };
      const slots = Math.min(answer.slots, maximumSlots);
      if (slots !== description?.answer.slots) await db.leases.ensureSlots(id, slots);
      description = { answer: { ...answer, slots }, at: performance.now() };
    }
    return { ...health, reason: health.isReady ? null : health.reason, latencyMilliseconds };
  };

  /** Why it gets no jobs, in a few words for operators; null when it does. */
  const reasonOf = ({ isReady, reason }: Probe, look: EndpointLook): string | null => {
    if (isRetired) return 'it has left the models file';
    if (look.drainedAt !== null) return 'an operator has drained it';
    if (!isReady) return reason;
    if (description && description.answer.problems.length > 0) return description.answer.problems.join(' ');
    if (standingOf(look, clock.now()) !== 'closed') return null;
    return `${look.failuresInARow} jobs in a row came to nothing; closed until ${look.closedUntil?.toISOString()}`;
  };

  const tend = async (): Promise<void> => {
    if (!lock.isHeld()) return;
    const probed = await probe();
    let look = await db.leases.look(id);
    if (look.draining.length > 0) {
      for (const lease of look.draining) await drainLease({ db, clock, log }, engine, lease);
      look = await db.leases.look(id);
    }
    const reason = reasonOf(probed, look);
    const slots = description?.answer.slots ?? 0;
    const free = look.freeSlots.filter((slot) => slot < slots);
    if (!lock.isHeld()) return;
    // Before any job can begin and end there: its end is noted with what is written here.
    await see({ isOpen: reason === null, reason, latencyMilliseconds: probed.latencyMilliseconds });
    const standing = standingOf(look, clock.now());
    if (lock.isHeld()) board.refresh(id, reason === null, slotsToOffer(standing, free, look.leased));
    if (isRetired && look.leased === 0) isClosed = true;
  };

  /** Written when something changed, or after a while: the latency alone is no change. */
  const see = async (view: Pick<EndpointSight, 'isOpen' | 'reason' | 'latencyMilliseconds'>): Promise<void> => {
    const { engine: name = null, version = null, models = null, slots = 0 } = description?.answer ?? {};
    const reason = view.reason?.slice(0, 500) ?? null;
    const sight: EndpointSight = { pool, slots, engine: name, version, models, ...view, reason };
    const text = JSON.stringify({ ...sight, latencyMilliseconds: null });
    if (seen?.text === text && performance.now() - seen.at < seeEveryMilliseconds) return;
    if (seen?.text !== text) log.info({ endpoint: id, isOpen: view.isOpen, reason }, 'endpoint seen');
    seen = { text, at: performance.now() };
    await db.endpointStates.see(id, sight, clock.now());
  };

  const run = async (): Promise<void> => {
    while (!isClosed) {
      isAskedToTend = false;
      await tend().catch((error: unknown) => {
        board.close(id);
        log.warn({ err: error, endpoint: id }, 'endpoint could not be looked at');
      });
      if (isAskedToTend || isClosed) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, tendEveryMilliseconds);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    board.remove(id); // before the lock is given back: the next owner may share this board
    await lock.close();
  };
  const running = run();

  return {
    tendSoon,
    retire: async () => {
      isRetired = true;
      board.close(id);
      tendSoon();
      await running;
    },
    close: async () => {
      isClosed = true;
      tendSoon(); // whether it waits or looks, it ends without waiting (again)
      await running;
    },
  };
}
