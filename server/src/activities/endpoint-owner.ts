import type { AdvisoryLock } from '../db/advisory-lock.ts';
import type { Database } from '../db/database.ts';
import type { DrainingLease } from '../db/leases.ts';
import type { Clock } from '../domain/clock.ts';
import type { Endpoint } from '../engines/registry.ts';
import type { Log } from '../telemetry/log.ts';
import type { SlotBoard } from './slot-board.ts';

const tendEveryMilliseconds = 2_000;
/** How long an engine must not know a job before its slot counts as free: a late submit may still be on its way. */
const unknownSeconds = 20;

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
  close(): Promise<void>;
}

/**
 * While this process holds an endpoint's lock it is the only one that begins jobs there: it probes the engine's health, drains
 * leases whose task went another way, and tells the board which slots are free.
 */
export function ownEndpoint({ db, board, clock, log, holdLock }: Dependencies, endpoint: Endpoint): EndpointOwner {
  const { id, engine } = endpoint;
  let isClosed = false;
  let slots = 0;
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

  const tend = async (): Promise<void> => {
    if (!lock.isHeld()) return;
    const { isReady: isHealthy } = await engine.health().catch(() => ({ isReady: false }));
    // Asked again whenever it comes back: it may have been started with another number of slots.
    if (!isHealthy) slots = 0;
    else if (slots === 0) {
      slots = (await engine.describe()).slots;
      await db.leases.ensureSlots(id, slots);
    }
    for (const lease of await db.leases.draining(id)) await drain(lease);
    const free = (await db.leases.freeSlots(id)).filter((slot) => slot < slots);
    if (lock.isHeld()) board.refresh(id, isHealthy, free);
  };

  const drain = async (lease: DrainingLease): Promise<void> => {
    const free = () => db.leases.free(lease.endpointId, lease.slot, lease.fencing);
    const operation = lease.operation ?? engine.operationFor(lease.engineJobId);
    try {
      const cancelled = operation === null ? null : await engine.cancel(operation);
      if (cancelled === 'stopped') {
        await free();
        return;
      }
      const job = operation === null ? ({ state: 'lost' } as const) : await engine.poll(operation);
      if (job.state === 'succeeded' || job.state === 'failed') {
        if (operation !== null) await engine.discard(operation);
        await free();
      } else if (job.state !== 'lost') {
        if (lease.unknownSince !== null) await db.leases.markUnknown(lease, null);
      } else if (lease.unknownSince === null) {
        await db.leases.markUnknown(lease, clock.now());
      } else if (clock.now().getTime() - lease.unknownSince.getTime() >= unknownSeconds * 1000) {
        await free();
      }
    } catch (error) {
      // Unreachable: nobody can say whether the job still runs, so the slot stays taken.
      log.debug({ err: error, endpoint: id, taskId: lease.taskId }, 'slot still draining');
    }
  };

  const run = async (): Promise<void> => {
    while (!isClosed) {
      isAskedToTend = false;
      await tend().catch((error: unknown) => {
        board.close(id);
        log.warn({ err: error, endpoint: id }, 'endpoint could not be looked at');
      });
      if (isAskedToTend) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, tendEveryMilliseconds);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const running = run();

  return {
    tendSoon,
    close: async () => {
      isClosed = true;
      tendSoon(); // whether it waits or looks, it ends without waiting (again)
      await running;
      board.remove(id);
      await lock.close();
    },
  };
}
