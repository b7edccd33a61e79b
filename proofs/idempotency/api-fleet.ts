import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@kinora/stack/harness/eventually';
import { type Installation, serverPath } from '@kinora/stack/harness/installation';
import { type ManagedProcess, startProcess } from '@kinora/stack/parts/processes';
import type { Stack } from '@kinora/stack/parts/stack';

/** Several API processes on ports of their own. Whatever ends is started again, as any supervisor would. */
export interface ApiFleet {
  urls: string[];
  /** How often a process was killed, and how often exactly between a commit and its answer. */
  deaths: { kills: number; killsBeforeResponse: number };
  ready(): Promise<void>;
  /**
   * kill -9 for one while all the others can answer; up again it comes by itself, every second time so that it dies right
   * after its first commit. False when none could be spared. So a slow machine is not busy with starting processes alone.
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
  /** It will die by itself, right after its first commit. */
  isArmed: boolean;
}

const startTimeoutMilliseconds = 60_000;

export function startApiFleet(options: { stack: Stack; installation: Installation; ports: number[] }): ApiFleet {
  const { stack, installation, ports } = options;
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
        ...(isArmed ? { KINORA_FAILPOINTS: 'after-accept-commit' } : {}),
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
      // Its own doing: nobody else kills one that is armed.
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
      const timeoutMilliseconds = startTimeoutMilliseconds;
      await eventually('API processes that are all ready', areReady, { timeoutMilliseconds });
    },
    killOne() {
      const standing = members.filter(({ isReady, isArmed }) => isReady && !isArmed);
      if (!areReady() || standing.length === 0) return false;
      standing[Math.floor(Math.random() * standing.length)]?.child?.kill('SIGKILL');
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
