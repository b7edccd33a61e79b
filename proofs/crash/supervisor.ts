import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation, RoleName } from '@kinora/stack/harness/installation';
import type { ManagedProcess } from '@kinora/stack/parts/processes';
import type { PartName, Stack } from '@kinora/stack/parts/stack';
import { type Failpoint, type History, type Kill, parts, roles, type Target } from './history.ts';
import type { Recorder } from './log-recorder.ts';

const startTries = 5;

/** Kills roles and parts, and restarts whatever has exited, as a process supervisor does. */
export interface Supervisor {
  /** Kills with SIGKILL and restarts at once. */
  crash(target: Target): Promise<void>;
  /**
   * Restarts a role so that it dies at the failpoint. Returns false if it did not get there in time and was killed
   * instead.
   */
  crashAt(role: RoleName, failpoint: Failpoint, patienceSeconds: number): Promise<boolean>;
  /** Stops with SIGTERM and restarts. */
  restart(role: RoleName): Promise<void>;
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

export function createSupervisor({ stack, installation, recorder, history, report, signal }: Parts): Supervisor {
  // Only one change of a target at a time. Temporal needs Postgres, so the stack's parts share one turn.
  const turns = new Map<Target | 'stack', Promise<unknown>>();
  let isClosed = false;
  const inTurn = <T>(target: Target, work: () => Promise<T>): Promise<T> => {
    const name = isPart(target) ? 'stack' : target;
    const turn = (turns.get(name) ?? Promise.resolve()).then(work);
    turns.set(
      name,
      turn.catch(() => undefined),
    );
    return turn;
  };

  const expected = new Set<ManagedProcess>();
  const supervise = (role: RoleName, child: ManagedProcess): void => {
    void child.exited.then(({ code, signal: killedBy }) => {
      if (isClosed || expected.delete(child)) return;
      history.deaths.push({ target: role, at: Date.now() });
      report(`${role} exited by itself (${killedBy ?? `code ${code}`}); restarting it`);
      void inTurn(role, () => (installation.process(role) ? Promise.resolve() : start(role))).catch((error: unknown) =>
        report(`${role} could not be restarted: ${String(error)}`),
      );
    });
  };
  const start = async (target: Target): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      try {
        if (isPart(target)) return await stack.start(target);
        return supervise(target, await installation.start(target));
      } catch (error) {
        if (attempt === startTries) throw error;
        report(`${target} did not start: ${error instanceof Error ? error.message : String(error)}`);
        await sleep(500, undefined, { signal });
      }
    }
  };
  const stop = async (role: RoleName, name: NodeJS.Signals): Promise<void> => {
    const child = installation.process(role);
    if (child) expected.add(child);
    await installation.stop(role, name);
  };
  const kill = async (target: Target): Promise<Kill> => {
    const record: Kill = { target, failpoint: null, at: Date.now(), readyAt: null };
    history.kills.push(record);
    await (isPart(target) ? stack.kill(target) : stop(target, 'SIGKILL'));
    return record;
  };

  for (const role of roles) {
    const child = installation.process(role);
    if (child) supervise(role, child);
  }
  stack.onDeath((part) => {
    if (isClosed) return;
    history.deaths.push({ target: part, at: Date.now() });
    report(`${part} exited by itself; restarting it`);
    void inTurn(part, () => start(part)).catch((error: unknown) =>
      report(`${part} could not be restarted: ${String(error)}`),
    );
  });

  return {
    crash: (target) =>
      inTurn(target, async () => {
        const record = await kill(target);
        await start(target);
        record.readyAt = Date.now();
      }),
    crashAt: (role, failpoint, patienceSeconds) =>
      inTurn(role, async () => {
        // Half of the restarts are kills, which adds kills at random moments.
        const arming = Math.random() < 0.5 ? await kill(role) : null;
        if (!arming) await stop(role, 'SIGTERM');
        let record: Kill | null = null;
        try {
          const child = await installation.start(role, { KINORA_FAILPOINTS: failpoint });
          expected.add(child);
          if (arming) arming.readyAt = Date.now();
          await exitedWithin(child, patienceSeconds, signal);
          const hitAt = recorder.hitAt(child.pid);
          record = hitAt === null ? await kill(role) : { target: role, failpoint, at: hitAt, readyAt: null };
          if (hitAt !== null) history.kills.push(record);
          return hitAt !== null;
        } finally {
          await start(role);
          if (record) record.readyAt = Date.now();
        }
      }),
    restart: (role) =>
      inTurn(role, async () => {
        await stop(role, 'SIGTERM');
        await start(role);
      }),
    close: async () => {
      isClosed = true;
      await Promise.allSettled(turns.values());
    },
  };
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
