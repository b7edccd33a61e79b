import { setTimeout as sleep } from 'node:timers/promises';
import { interrupted } from './interruption.ts';

/** Waits; throws as soon as the signal aborts, by default when the person at the keyboard has had enough. */
export async function pause(milliseconds: number, signal: AbortSignal = interrupted): Promise<void> {
  await sleep(milliseconds, undefined, { signal });
}
