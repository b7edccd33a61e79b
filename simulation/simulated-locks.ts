import type { LockSession } from '../server/src/db/connection/lock-session.ts';
import { createShareLocks } from '../server/src/db/connection/share-locks.ts';
import type { Process, Turns } from './scheduler.ts';

const roundMilliseconds = 1_000;
/** Postgres ends a session that has been silent for so long. */
const silenceMilliseconds = 10_000;

type Listeners = Parameters<LockSession['hold']>[1];

interface Hold {
  name: string;
  listeners: NonNullable<Listeners>;
  isHeld: boolean;
}

interface Session {
  readonly number: number;
  readonly group: string;
  readonly own: Set<string>;
  heardAt: number;
}

/** The advisory locks of a world: those of a session that is dead or silent become free. */
export class SimulatedLocks {
  readonly #turns: Turns;
  readonly #sessions = new Set<Session>();
  #count = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  /** Opens the session of one process, which shares the locks out with those of its group. */
  open(process: Process, group: string): LockSession {
    const turns = this.#turns;
    const clock = turns.clockOf(process);
    const holds = new Set<Hold>();
    const shareOut = createShareLocks();
    let session: Session | null = null;
    let isClosed = false;
    let isRoundComing = false;

    const connect = (): Session => {
      this.#count += 1;
      const fresh: Session = { number: this.#count, group, own: new Set(), heardAt: turns.milliseconds };
      this.#sessions.add(fresh);
      return fresh;
    };
    const lose = (hold: Hold, loss: 'connection-lost' | 'given-up'): void => {
      if (!hold.isHeld) return;
      hold.isHeld = false;
      hold.listeners.onLost?.(loss);
    };
    const round = (): void => {
      this.#endSilent();
      if (session && !this.#sessions.has(session)) {
        session = null;
        for (const hold of holds) lose(hold, 'connection-lost');
      }
      if (isClosed || (holds.size === 0 && !session)) return;
      const mine = (session ??= connect());
      mine.heardAt = turns.milliseconds;
      const wanted = [...new Set([...holds].map(({ name }) => name))].sort();
      const beside = [...this.#sessions].filter((other) => other !== mine);
      const found = {
        wanted,
        own: new Set(mine.own),
        others: new Set(beside.flatMap(({ own }) => [...own])),
        sessions: [...this.#sessions].filter((one) => one.group === group).map(({ number }) => number),
        self: mine.number,
      };
      const { giveUp, take } = shareOut(found, clock.elapsed());
      for (const name of giveUp) for (const hold of holds) if (hold.name === name) lose(hold, 'given-up');
      for (const name of [...giveUp, ...[...mine.own].filter((one) => !wanted.includes(one))]) mine.own.delete(name);
      for (const name of take) mine.own.add(name);
      for (const hold of firstOfEachName(holds)) {
        if (hold.isHeld || !mine.own.has(hold.name)) continue;
        hold.isHeld = true;
        hold.listeners.onTaken?.();
      }
    };
    const soon = (): void => {
      if (isRoundComing) return;
      isRoundComing = true;
      turns
        .call(process, 'locks', round)
        // The session is gone, and its locks with it.
        .catch(() => {
          if (session) this.#sessions.delete(session);
          session = null;
          for (const hold of holds) lose(hold, 'connection-lost');
        })
        .finally(() => {
          isRoundComing = false;
        });
    };
    const stop = clock.every(roundMilliseconds, soon);
    return {
      hold: (name, listeners = {}) => {
        const hold: Hold = { name, listeners, isHeld: false };
        holds.add(hold);
        soon();
        return {
          isHeld: () => hold.isHeld,
          close: async () => {
            holds.delete(hold);
            hold.isHeld = false;
            // A lock that could not be given up is given up by the next round.
            await turns.call(process, `unlock ${name}`, round).catch(() => undefined);
          },
        };
      },
      countHeld: () => session?.own.size ?? 0,
      close: async () => {
        isClosed = true;
        stop();
        if (session) this.#sessions.delete(session);
      },
    };
  }

  /** Ends the sessions of processes that are dead, and of those that have been silent for too long. */
  #endSilent(): void {
    for (const session of this.#sessions)
      if (this.#turns.milliseconds - session.heardAt >= silenceMilliseconds) this.#sessions.delete(session);
  }
}

function firstOfEachName(holds: Iterable<Hold>): Hold[] {
  const first = new Map<string, Hold>();
  for (const hold of holds) if (!first.has(hold.name)) first.set(hold.name, hold);
  return [...first.values()];
}
