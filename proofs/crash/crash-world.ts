import type { ApiClient } from '@kinora/stack/harness/api-client';
import type { Installation } from '@kinora/stack/harness/installation';
import { pause as pauseFor } from '@kinora/stack/harness/pause';
import type { Stack } from '@kinora/stack/parts/stack';
import type { CrashSize } from './crash-size.ts';
import type { Gate } from './gate.ts';
import type { History } from './history.ts';
import type { Rows } from './rows.ts';
import type { Supervisor } from './supervisor.ts';

/** Everything that the parts of the proof share. */
export interface World {
  stack: Stack;
  installation: Installation;
  /** Aborts a request after 20 s, because a killed server may leave it without a response. */
  api: ApiClient;
  supervisor: Supervisor;
  rows: Rows;
  /** Kills pass it together; a graceful stop that is judged by itself passes it alone. */
  gate: Gate;
  history: History;
  /** How many tasks there were a moment ago. */
  taskCounts: TaskCounts;
  /** While true, every new task renders long enough that a worker which dies holds several attempts. */
  areTakeoversMissing: boolean;
  size: CrashSize;
  signal: AbortSignal;
  report: (line: string) => void;
}

interface TaskCounts {
  posted: number;
  active: number;
  ended: number;
}

/** Waits; throws if the proof is interrupted. */
export function pause(world: Pick<World, 'signal'>, seconds: number): Promise<void> {
  return pauseFor(seconds * 1000, world.signal);
}
