import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation, UsualRole } from '@kinora/stack/harness/installation';
import type { Random } from '@kinora/stack/harness/seeded-random';
import type { ManagedProcess } from '@kinora/stack/parts/processes';
import type { PartName, Stack } from '@kinora/stack/parts/stack';
import { copies, type Failpoint, type History, type Kill, parts, roles, type Target } from './history.ts';
import type { Recorder } from './log-recorder.ts';

const startTries = 5;

/** Kills roles and parts (a random copy of a role), and restarts whatever has exited, as a process supervisor does. */
export interface Supervisor {
  /** Kills with SIGKILL and restarts at once. */
  crash(target: Target, random: Random): Promise<void>;
  /** Restarts a role to die at the failpoint; returns false if it did not get there in time and was killed instead. */
  crashAt(role: UsualRole, failpoint: Failpoint, patienceSeconds: number, random: Random): Promise<boolean>;
  /** Stops one copy after the other with SIGTERM, and restarts each before the next one stops. */
  restart(role: UsualRole): Promise<void>;
  /** Stops restarting. */
  close(): Promise<void>;
}

interface Parts {
  stack: Stack;
  installation: Installation;
  recorder: Recorder;
  history: History;
  report: (line: string) => void;
  signal: AbortSignal;
}

/** One process: a part of the stack, or a copy of a role. */
interface Place {
  target: Target;
  copy: number;
}

export function createSupervisor({ stack, installation, recorder, history, report, signal }: Parts): Supervisor {
  // Only one change of a process at a time. Temporal needs Postgres, so the stack's parts share one turn.
  const turns = new Map<string, Promise<unknown>>();
  let isClosed = false;
  const inTurn = <T>({ target, copy }: Place, work: () => Promise<T>): Promise<T> => {
    const name = isPart(target) ? 'stack' : `${target} ${copy}`;
    const turn = (turns.get(name) ?? Promise.resolve()).then(work);
    turns.set(
      name,
      turn.catch(() => undefined),
    );
    return turn;
  };

  const expected = new Set<ManagedProcess>();
  const supervise = (target: UsualRole, copy: number, child: ManagedProcess): void => {
    void child.exited.then(({ code, signal: killedBy }) => {
      if (isClosed || expected.delete(child)) return;
      history.deaths.push({ target, at: Date.now() });
      report(`${child.name} exited by itself (${killedBy ?? `code ${code}`}); restarting it`);
      const place = { target, copy };
      void inTurn(place, () => (installation.process(target, copy) ? Promise.resolve() : start(place))).catch(
        (error: unknown) => report(`${child.name} could not be restarted: ${String(error)}`),
      );
    });
  };
  const start = async ({ target, copy }: Place): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        if (isPart(target)) return await stack.start(target);
        return supervise(target, copy, await installation.start(target, {}, copy));
      } catch (error) {
        if (attempt === startTries) throw error;
        report(`${target} did not start: ${error instanceof Error ? error.message : String(error)}`);
        await sleep(500, undefined, { signal });
      }
    }
  };
  const stop = async (role: UsualRole, copy: number, name: NodeJS.Signals): Promise<void> => {
    const child = installation.process(role, copy);
    if (child) expected.add(child);
    await installation.stop(role, name, copy);
  };
  const kill = async ({ target, copy }: Place): Promise<Kill> => {
    const record: Kill = { target, failpoint: null, at: Date.now(), readyAt: null };
    history.kills.push(record);
    await (isPart(target) ? stack.kill(target) : stop(target, copy, 'SIGKILL'));
    return record;
  };

  for (const role of roles) {
    for (const copy of copiesOf(role)) {
      const child = installation.process(role, copy);
      if (child) supervise(role, copy, child);
    }
  }
  stack.onDeath((target) => {
    if (isClosed) return;
    history.deaths.push({ target, at: Date.now() });
    report(`${target} exited by itself; restarting it`);
    const place = { target, copy: 0 };
    void inTurn(place, () => start(place)).catch((error: unknown) =>
      report(`${target} could not be restarted: ${String(error)}`),
    );
  });

  return {
    crash: (target, random) => {
      const place = { target, copy: isPart(target) ? 0 : random.below(copies[target]) };
      return inTurn(place, async () => {
        const record = await kill(place);
        await start(place);
        record.readyAt = Date.now();
      });
    },
    crashAt: (role, failpoint, patienceSeconds, random) => {
      const place = { target: role, copy: random.below(copies[role]) };
      return inTurn(place, async () => {
        // Half of the restarts are kills, which adds kills at random moments.
        const arming = random.below(2) === 0 ? await kill(place) : null;
        if (!arming) await stop(role, place.copy, 'SIGTERM');
        let record: Kill | null = null;
        try {
          const child = await installation.start(role, { KINORA_FAILPOINTS: failpoint }, place.copy);
          expected.add(child);
          if (arming) arming.readyAt = Date.now();
          await exitedWithin(child, patienceSeconds, signal);
          const hitAt = recorder.hitAt(child.pid);
          record = hitAt === null ? await kill(place) : { target: role, failpoint, at: hitAt, readyAt: null };
          if (hitAt !== null) history.kills.push(record);
          return hitAt !== null;
        } finally {
          await start(place);
          if (record) record.readyAt = Date.now();
        }
      });
    },
    restart: async (role) => {
      for (const copy of copiesOf(role)) {
        await inTurn({ target: role, copy }, async () => {
          await stop(role, copy, 'SIGTERM');
          await start({ target: role, copy });
        });
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled(turns.values());
    },
  };
}

function copiesOf(role: UsualRole): number[] {
  return Array.from({ length: copies[role] }, (_, copy) => copy);
}

/** Waits until the process has exited and its output has been read, or until the time limit. */
async function exitedWithin(child: ManagedProcess, seconds: number, signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const patience = sleep(seconds * 1000, undefined, { signal: AbortSignal.any([signal, done.signal]) });
  await Promise.race([child.exited.then(() => sleep(200)), patience]).finally(() => done.abort());
}

function isPart(target: Target): target is PartName {
  return parts.some((part) => part === target);
}
