import { setTimeout as sleep } from 'node:timers/promises';
import { interrupted } from './interruption.ts';

/** Waits. Throws as soon as the signal aborts; by default that is when the developer interrupts a proof. */
export async function pause(milliseconds: number, signal: AbortSignal = interrupted): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}
