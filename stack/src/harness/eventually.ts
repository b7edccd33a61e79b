import { setTimeout as pause } from 'node:timers/promises';

interface Options {
  timeoutMilliseconds?: number;
  everyMilliseconds?: number;
}

/** Looks again and again until `look` gives something other than null, undefined or false; says what it waited for if that never comes. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false>,
  { timeoutMilliseconds = 120_000, everyMilliseconds = 100 }: Options = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMilliseconds;
  for (;;) {
    const seen = await look();
    if (seen !== null && seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error(`this did not come within ${timeoutMilliseconds / 1000} s: ${what}`);
    await pause(everyMilliseconds);
  }
}
