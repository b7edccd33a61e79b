/** The same numbers for the same seed: whole ones from 0 up to, but without, the limit. */
export function seededRandom(seed: number): (limit: number) => number {
  let state = seed >>> 0 || 1;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** Bytes without any pattern, which no compression makes smaller. */
export function noise(seed: number, sizeBytes: number): Buffer {
  const words = new Uint32Array(Math.ceil(sizeBytes / 4));
  let state = seed >>> 0 || 1;
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, sizeBytes);
}
