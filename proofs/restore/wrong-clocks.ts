import { readFileSync } from 'node:fs';
import type { Installation, UsualRole } from '@kinora/stack/harness/installation';
import { readLogLines } from '@kinora/stack/harness/log-lines';
import { toolPath } from '@kinora/stack/parts/stack-state';
import { copies, type FaultWorld } from '../faults/fault-world.ts';
import type { RestoreEvidence } from './judge-restore.ts';
import type { Skew } from './restore-size.ts';

/** Restarts roles so that one process of each has a wrong clock, or the right one again. Returns how far each is off. */
export async function restartWithClocks(
  { installation }: FaultWorld,
  { isAlone = false, ...skew }: Skew,
): Promise<RestoreEvidence['clocks']> {
  const clocks = await Promise.all(
    Object.entries(skew).map(([role, seconds]) => restartRole(installation, role as UsualRole, { seconds, isAlone })),
  );
  return clocks.flat();
}

/** Returns what gives the processes with wrong clocks the right time again. */
export function rightClocks(skew: Skew): Skew {
  const roles = Object.keys(skew).filter((name) => name !== 'isAlone');
  return Object.fromEntries(roles.map((role) => [role, 0]));
}

/** The wrong clock starts alone in its role, so it gets the locks; engines need none, and only one of them restarts. */
async function restartRole(
  installation: Installation,
  role: UsualRole,
  { seconds, isAlone }: { seconds: number; isAlone: boolean },
): Promise<RestoreEvidence['clocks']> {
  const restarted = Array.from({ length: role === 'animatic' ? 1 : copies[role] }, (_, copy) => copy);
  await Promise.all(restarted.map((copy) => installation.stop(role, 'SIGTERM', copy)));
  await installation.start(role, seconds === 0 ? {} : clockAhead(seconds));
  const startedAt = Date.now();
  const latest = readLogLines(readFileSync(installation.logPath(role), 'utf8')).at(-1);
  if (!isAlone) await Promise.all(restarted.slice(1).map((copy) => installation.start(role, {}, copy)));
  if (seconds === 0) return [];
  const measuredSeconds = (Date.parse(latest?.time ?? '') - startedAt) / 1000;
  return [{ process: role, wantedSeconds: seconds, measuredSeconds }];
}

/** Only the time of day is wrong: timers run on the monotonic clock, which no machine sets wrong. */
function clockAhead(seconds: number): Record<string, string> {
  return {
    LD_PRELOAD: toolPath('libfaketime.so.1', 'programs'),
    FAKETIME: `${seconds > 0 ? '+' : ''}${seconds}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}
