import { randomFillSync, randomInt, randomUUID } from 'node:crypto';

/** Chance: the source of ids, keys, nonces, owners and jitter. */
export interface Random {
  bytes(count: number): Buffer;
  uuid(): string;
  /** Returns a whole number of at least 0 and less than `limit`, all of them equally likely. */
  below(limit: number): number;
}

/** 4 kB for 256 ids: a call of the generator costs the same for one id as for all of them. */
const bytesAtOnce = 4_096;
/** Each byte is used once. */
let bytesLeft = Buffer.alloc(0);

const systemRandom: Random = {
  bytes(count) {
    if (bytesLeft.length < count) bytesLeft = randomFillSync(Buffer.alloc(Math.max(bytesAtOnce, count)));
    const bytes = bytesLeft.subarray(0, count);
    bytesLeft = bytesLeft.subarray(count);
    return bytes;
  },
  uuid: randomUUID,
  below: randomInt,
};

let source = systemRandom;

/** The chance of this process. */
export const random: Random = {
  bytes: (count) => source.bytes(count),
  uuid: () => source.uuid(),
  below: (limit) => source.below(limit),
};

/** Makes `random` repeat what `next` says, until the returned function is called. Only the simulation does that. */
export function replaceRandom(next: Random): () => void {
  source = next;
  return () => {
    source = systemRandom;
  };
}
