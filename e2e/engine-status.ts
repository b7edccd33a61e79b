import { eventually } from '@kinora/stack/harness/eventually';
import { inject } from 'vitest';

interface EngineStatus {
  running: number;
  submits: number;
  slots: number;
}

/** What the built-in engine says of itself. */
export async function engineStatus(url: string = inject('world').animaticUrl): Promise<EngineStatus> {
  return (await (await fetch(url)).json()) as EngineStatus;
}

/** Waits until the engine has nothing to do. */
export const untilEngineIdle = (url?: string): Promise<true> =>
  eventually('the engine is idle', async () => (await engineStatus(url)).running === 0);
