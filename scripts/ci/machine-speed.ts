import { createHash } from 'node:crypto';

const megabytes = 256;

/**
 * Returns how many megabytes per second one core hashes now. Shared machines differ by a factor of three from hour to
 * hour, so the seconds of two runs can be compared only beside this.
 */
export function measureMachineSpeed(): number {
  const hash = createHash('sha256');
  const megabyte = Buffer.alloc(2 ** 20);
  const begun = performance.now();
  for (let count = 0; count < megabytes; count += 1) hash.update(megabyte);
  return Math.round(megabytes / ((performance.now() - begun) / 1000));
}
