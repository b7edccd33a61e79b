import { createHash } from 'node:crypto';

/** Creates a generator of numbers in 0..1 that depend only on the text: the same sequence on every machine. */
export function createSeededRandom(text: string): () => number {
  const digest = createHash('sha256').update(text).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let counter = digest.readUInt32LE(12);
  // sfc32 has 128 bits of state, enough that different texts do not share a sequence, as they could with a small seed.
  return () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
}
