import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@kinora/stack/harness/eventually';
import { type Installation, serverPath } from '@kinora/stack/harness/installation';
import { randomFor } from '@kinora/stack/harness/seeded-random';
import { type ManagedProcess, startProcess } from '@kinora/stack/parts/processes';
import type { Stack } from '@kinora/stack/parts/stack';

/** Several API processes on their own ports. A process that exits is restarted, as by a process supervisor. */
export interface ApiFleet {
  urls: string[];
  /** How often a process died, and how often exactly between a commit and its response. */
  deaths: { kills: number; killsBeforeResponse: number };
  ready(): Promise<void>;
  /**
   * Kills one process with SIGKILL if all processes are ready; otherwise returns false, so that a slow machine does
   * more than start processes. Every second restart is armed to die right after its first commit.
   */
  killOne(): boolean;
  close(): Promise<void>;
}

interface Member {
  url: string;
  port: number;
  name: string;
  child: ManagedProcess | null;
  isReady: boolean;
  /** Whether the process has a failpoint at which it dies right after its first commit. */
  isArmed: boolean;
}

export function startApiFleet(options: { stack: Stack; installation: Installation; ports: number[] }): ApiFleet {
  const { stack, installation, ports } = options;
  const random = randomFor('idempotency/kills');
  const deaths = { kills: 0, killsBeforeResponse: 0 };
  let isClosed = false;
  const members = ports.map(
    (port, index): Member => ({
      url: `http://127.0.0.1:${port}`,
      port,
      name: `api-${index}`,
      child: null,
      isReady: false,
      isArmed: false,
    }),
  );

  const start = (member: Member, isArmed: boolean): void => {
    member.isArmed = isArmed;
    const child = startProcess({
      name: member.name,
      command: process.execPath,
      arguments: [serverPath, 'start', '--roles', 'api'],
      environment: {
        ...installation.environment,
        KINORA_PORT: String(member.port),
        KINORA_PRIVATE_PORT: '0',
        KINORA_LOG_LEVEL: 'warn',
        // Production refuses failpoints.
        ...(isArmed ? { KINORA_ENV: 'development', KINORA_FAILPOINTS: 'after-accept-commit' } : {}),
      },
      logPath: join(stack.info.folder, `${member.name}.log`),
    });
    member.child = child;
    void waitUntilReady(member, child);
    void child.exited.then(() => {
      const wasReady = member.isReady;
      member.isReady = false;
      member.child = null;
      if (isClosed) return;
      deaths.kills += 1;
      // It died at its failpoint, because killOne never kills an armed process.
      if (isArmed && wasReady) deaths.killsBeforeResponse += 1;
      start(member, !isArmed && deaths.kills % 2 === 1);
    });
  };
  const waitUntilReady = async (member: Member, child: ManagedProcess): Promise<void> => {
    while (member.child === child && !member.isReady) {
      const isUp = await fetch(`${member.url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp && member.child === child) member.isReady = true;
      await sleep(50);
    }
  };
  const areReady = (): boolean => members.every(({ isReady }) => isReady);
  for (const member of members) start(member, false);

  return {
    urls: members.map(({ url }) => url),
    deaths,
    async ready() {
      await eventually('API processes that are all ready', areReady);
    },
    killOne() {
      const killable = members.filter(({ isReady, isArmed }) => isReady && !isArmed);
      if (!areReady() || killable.length === 0) return false;
      random.pick(killable).child?.kill('SIGKILL');
      return true;
    },
    async close() {
      isClosed = true;
      await Promise.all(
        members.map(async ({ child }) => {
          child?.kill('SIGTERM');
          await child?.exited;
        }),
      );
    },
  };
}
