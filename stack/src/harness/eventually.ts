import { hangLimitMilliseconds } from '../hang-limit.ts';
import { pause } from './pause.ts';

interface Options {
  timeoutMilliseconds?: number;
  everyMilliseconds?: number;
}

/** Calls `check` until it returns something that counts as true. On timeout, the error names `what`. */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  { timeoutMilliseconds = hangLimitMilliseconds, everyMilliseconds = 100 }: Options = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMilliseconds;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`this did not happen within ${timeoutMilliseconds / 1000} s: ${what}`);
    await pause(everyMilliseconds);
  }
}

/** Waits in the same way, but returns whether it became true in time, for callers that report a timeout. */
export async function becomesTrueWithin(
  timeoutMilliseconds: number,
  isTrue: () => Promise<boolean> | boolean,
  { everyMilliseconds = 100, signal }: { everyMilliseconds?: number; signal?: AbortSignal } = {},
): Promise<boolean> {
  const deadline = Date.now() + timeoutMilliseconds;
  while (!(await isTrue())) {
    if (Date.now() > deadline) return false;
    await pause(everyMilliseconds, signal);
  }
  return true;
}
