import { eventually } from '@kinora/stack/harness/eventually';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AdvisoryLock, type LockSession, openLockSession } from '../server/src/db/connection/lock-session.ts';
import { createTestDatabase } from '../server/src/db/database.fixture.ts';
import { type Clock, systemClock } from '../server/src/domain/clock.ts';
import { newProcess, Scheduler } from './scheduler.ts';
import { SimulatedLocks } from './simulated-locks.ts';

/** One process with a session, and what may happen to it. */
interface Contender {
  session: LockSession;
  freeze(): void;
  thaw(): void;
}

interface Side {
  open(name: string): Contender;
  /** Ends the connections of all sessions. */
  disconnectAll(): Promise<void>;
  /** Lets the world run until this has happened. */
  during(work: Promise<unknown>): Promise<void>;
  until(what: string, isSo: () => boolean): Promise<void>;
}

/** What the processes do, one line after the other, and then: how many locks each holds, and how many it has lost. */
const scripts: Record<string, readonly (readonly [string, Record<string, readonly [held: number, lost: number]>])[]> = {
  'one holds a lock, and the next one when it closes': [
    ['one holds x', { one: [1, 0] }],
    ['two holds x', { one: [1, 0], two: [0, 0] }],
    ['one closes', { one: [0, 0], two: [1, 0] }],
  ],
  'sessions share their locks out, also with a third': [
    ['one holds a b c d e f', { one: [6, 0] }],
    ['two holds a b c d e f', { one: [3, 3], two: [3, 0] }],
    ['three holds a b c d e f', { one: [2, 4], two: [2, 1], three: [2, 0] }],
  ],
  'the locks of a session that is silent go to the others': [
    ['one holds x', { one: [1, 0] }],
    ['two holds x', { one: [1, 0], two: [0, 0] }],
    ['one freezes', { two: [1, 0] }],
    ['one thaws', { one: [0, 1], two: [1, 0] }],
  ],
  'a session whose connection ends loses its locks, and takes them again': [
    ['one holds x y', { one: [2, 0] }],
    ['all are disconnected', { one: [2, 2] }],
  ],
};

describe.each([
  ['the real locks', realSide],
  ['the simulated locks', simulatedSide],
])('%s', (_, createSide) => {
  it.each(Object.entries(scripts))('%s', async (_name, script) => {
    const side = await createSide();
    const contenders = new Map<string, Contender & { locks: AdvisoryLock[]; losses: number }>();
    for (const [line, expected] of script) {
      const [name = '', verb, ...locks] = line.split(' ');
      const contender = contenders.get(name) ?? { ...side.open(name), locks: [], losses: 0 };
      if (verb === 'holds') {
        contenders.set(name, contender);
        const onLost = (): void => void (contender.losses += 1);
        contender.locks = locks.map((lock) => contender.session.hold(lock, { onLost }));
      }
      if (verb === 'closes') await side.during(Promise.all(contender.locks.map((lock) => lock.close())));
      if (verb === 'freezes') contender.freeze();
      if (verb === 'thaws') contender.thaw();
      if (name === 'all') await side.disconnectAll();
      const now = () =>
        Object.fromEntries(
          [...contenders]
            .filter(([key]) => key in expected)
            .map(([key, { locks: held, losses }]) => [key, [held.filter((lock) => lock.isHeld()).length, losses]]),
        );
      await side.until(line, () => JSON.stringify(now()) === JSON.stringify(expected));
      expect(now()).toEqual(expected);
    }
  });
});

async function realSide(): Promise<Side> {
  const database = await createTestDatabase(1);
  onTestFinished(() => database.drop());
  return {
    open() {
      const late: (() => void)[] = [];
      let isFrozen = false;
      const clock: Clock = {
        ...systemClock,
        after: (milliseconds, work) => systemClock.after(milliseconds, () => (isFrozen ? late.push(work) : work())),
      };
      const session = openLockSession({ clock, databaseUrl: database.url, group: 'processes' });
      onTestFinished(() => session.close());
      return {
        session,
        freeze: () => {
          isFrozen = true;
        },
        thaw: () => {
          isFrozen = false;
          for (const work of late.splice(0)) work();
        },
      };
    },
    disconnectAll: async () => {
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'kinora-lock'`.execute(database.db.kysely);
    },
    during: async (work) => void (await work),
    until: async (what, isSo) => void (await eventually(what, isSo)),
  };
}

async function simulatedSide(): Promise<Side> {
  let isCut = false;
  const scheduler = new Scheduler({
    choose: ([step]) => step ?? 'timer',
    before: () => (isCut ? 'lost' : 'go-on'),
    after: () => 'go-on',
  });
  const simulated = new SimulatedLocks(scheduler);
  return {
    open(name) {
      const process = newProcess(name);
      return {
        session: simulated.open(process, 'processes'),
        freeze: () => {
          process.isFrozen = true;
        },
        thaw: () => {
          process.isFrozen = false;
        },
      };
    },
    async disconnectAll() {
      isCut = true;
      await scheduler.run(() => false, scheduler.milliseconds + 2_000);
      isCut = false;
    },
    async during(work) {
      let isOver = false;
      void work.then(() => (isOver = true));
      await scheduler.run(() => isOver, scheduler.milliseconds + 60_000);
    },
    async until(_what, isSo) {
      await scheduler.run(isSo, scheduler.milliseconds + 60_000);
    },
  };
}
