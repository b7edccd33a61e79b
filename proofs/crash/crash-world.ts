import type { ApiClient } from '@kinora/stack/harness/api-client';
import type { Installation } from '@kinora/stack/harness/installation';
import { pause as pauseFor } from '@kinora/stack/harness/pause';
import type { Stack } from '@kinora/stack/parts/stack';
import type { CrashSize } from './crash-size.ts';
import type { Gate } from './gate.ts';
import type { History } from './history.ts';
import type { Rows } from './rows.ts';
import type { Supervisor } from './supervisor.ts';

/** What every part of the proof is handed. */
export interface World {
  stack: Stack;
  installation: Installation;
  /** Gives up a request after 20 s, which is what a killed server may look like. */
  api: ApiClient;
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
  return pauseFor(seconds * 1000, world.signal);
}

export function between(low: number, high: number): number {
  return low + Math.random() * (high - low);
}
