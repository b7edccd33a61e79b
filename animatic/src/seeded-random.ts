import { createHash } from 'node:crypto';

/** Numbers in 0..1 that depend on the text alone: the same sequence on every machine. */
export function createSeededRandom(text: string): () => number {
  const digest = createHash('sha256').update(text).digest();
  let a = digest.readUInt32LE(0);
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let counter = digest.readUInt32LE(12);
  // sfc32: 128 bits of state, so that no two texts share a sequence by the smallness of a seed.
  return () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
}
