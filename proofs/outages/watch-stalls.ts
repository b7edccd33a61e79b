import { open } from 'node:fs/promises';
import { pause } from '@kinora/stack/harness/pause';
import type { Span } from './outages-evidence.ts';

const everyMilliseconds = 100;
/** A write to an idle disk takes some milliseconds, and one to a busy disk some tens. */
const stallMilliseconds = 500;
/** After a stall, everything that has piled up is due at once. */
const recoveryMilliseconds = 1_000;

/** Watches for spans in which the host stands still: a timer with a small write takes long. No proof counts them. */
export async function watchStalls(path: string): Promise<{ end: () => Promise<Span[]> }> {
  const file = await open(path, 'w');
  const stalls: Span[] = [];
  let isEnded = false;
  const watch = async (): Promise<void> => {
    while (!isEnded) {
      const from = Date.now();
      await pause(everyMilliseconds);
      await file.write('x', 0);
      await file.datasync();
      const until = Date.now();
      if (until - from > everyMilliseconds + stallMilliseconds)
        stalls.push({ from, until: until + recoveryMilliseconds });
    }
    await file.close();
  };
  const watching = watch();
  return {
    end: async () => {
      isEnded = true;
      await watching;
      return stalls;
    },
  };
}
