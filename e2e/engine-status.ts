import { eventually } from '@kinora/stack/harness/eventually';
import { inject } from 'vitest';

interface EngineStatus {
  running: number;
  submits: number;
  slots: number;
}

/** Reads the status page of the built-in engine. */
export async function engineStatus(url: string = inject('world').animaticUrl): Promise<EngineStatus> {
  return (await (await fetch(url)).json()) as EngineStatus;
}

/** Waits until the engine runs no job. */
export const untilEngineIdle = (url?: string): Promise<true> =>
  eventually('the engine is idle', async () => (await engineStatus(url)).running === 0);
