import { createCipheriv, createHash } from 'node:crypto';

/**
 * The seed of every random choice in tests and proofs. It is the same in each run, so that chance decides no merge;
 * `.ci/nightly` sets another one each night and prints it. TEST_SEED repeats the choices of such a run.
 */
export const testSeed = readSeed(process.env['TEST_SEED']);

function readSeed(text = '1'): number {
  if (!/^\d{1,10}$/.test(text))
    throw new Error(`TEST_SEED must be a whole number of at most ten digits, not "${text}"`);
  return Number(text);
}

/** Random numbers that are the same for the same seed. */
export interface Random {
  /** Returns a whole number from 0 to `count` - 1. */
  below(count: number): number;
  bits(count: number): bigint;
  pick<T>(items: readonly T[]): T;
  /** Returns a number from `low` to just below `high`. */
  between(low: number, high: number): number;
}

/** Creates the random numbers of one purpose in this run. Choices for other purposes do not change them. */
export function randomFor(purpose: string): Random {
  return seededRandom(createHash('sha256').update(`${testSeed} ${purpose}`).digest().readUIntBE(0, 6));
}

/** Creates the generator "sfc32", whose 128 bits of state come from the seed. */
export function seededRandom(seed: number): Random {
  let [a, b, c, counter] = [0x9e3779b9, seed | 0, (seed / 2 ** 32) | 0, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 16; round += 1) next();
  const below = (count: number): number => Math.floor((next() / 2 ** 32) * count);
  return {
    below,
    between: (low, high) => low + (next() / 2 ** 32) * (high - low),
    bits: (count) => {
      let value = 0n;
      for (let have = 0; have < count; have += 32) value = (value << 32n) | BigInt(next());
      return value & ((1n << BigInt(count)) - 1n);
    },
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('there is nothing to pick from');
      return item;
    },
  };
}

/** Returns bytes without any pattern, which cannot be compressed. */
export function noise(seed: number, sizeBytes: number): Buffer {
  const key = Buffer.alloc(16, String(seed));
  return createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(sizeBytes));
}
