import { createHash } from 'node:crypto';

const megabytes = 256;

/** Returns how many megabytes a core hashes per second, because shared machines vary threefold from hour to hour. */
export function measureMachineSpeed(): number {
  const hash = createHash('sha256');
  const megabyte = Buffer.alloc(2 ** 20);
  const begun = performance.now();
  for (let count = 0; count < megabytes; count += 1) hash.update(megabyte);
  return Math.round(megabytes / ((performance.now() - begun) / 1000));
}
