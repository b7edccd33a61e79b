import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from '@kinora/stack/harness/installation';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Gate } from './gate.ts';
import type { History } from './history.ts';
import type { Rows } from './rows.ts';
import type { CrashSize } from './size.ts';
import type { Supervisor } from './supervisor.ts';

/** What every part of the proof is handed. */
export interface World {
  stack: Stack;
  installation: Installation;
  supervisor: Supervisor;
  rows: Rows;
  /** Kills go through it together; a stop that is to be judged by itself goes through it alone. */
  gate: Gate;
  history: History;
  /** How the rows stood a moment ago. */
  standing: Standing;
  size: CrashSize;
  signal: AbortSignal;
  report: (line: string) => void;
}

interface Standing {
  posted: number;
  active: number;
  ended: number;
}

/** Waits; ends with an error when the proof is interrupted. */
export function pause(world: Pick<World, 'signal'>, seconds: number): Promise<void> {
  return sleep(seconds * 1000, undefined, { signal: world.signal });
}

export function between(low: number, high: number): number {
  return low + Math.random() * (high - low);
}
