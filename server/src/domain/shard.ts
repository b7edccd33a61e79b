import { random } from './random.ts';

/**
 * One of 1,024 logical shards, as two digits of base 32. The ids, keys and tokens of a project carry the shard of the
 * project, so that a proxy sends a request to the installation that holds the project without knowing any project.
 */
export type Shard = string;
/** Those of one installation. */
export type Shards = ReadonlySet<Shard>;

export const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const shape = new RegExp(`^[${digits}]{2}$`);

export const allShards: Shards = new Set([...digits].flatMap((first) => [...digits].map((second) => first + second)));

/** Reads a shard, or a range such as `00-fz`; null for any other text. */
export function parseShards(text: string): Shard[] | null {
  const [first = '', last = first, ...rest] = text.split('-');
  if (![first, last].every(isShard) || rest.length > 0) return null;
  return [...allShards].filter((shard) => shard >= first && shard <= last);
}

/** Chooses a shard for a new project. */
export function pickShard(shards: Shards): Shard {
  const all = [...shards];
  return all[random.below(all.length)] ?? '00';
}

export function isShard(text: string): boolean {
  return shape.test(text);
}

/** Returns the shard in an id: its 12th and 13th character, which lie in the random bits of a UUIDv7 between its times. */
export function shardOfId(id: string): Shard {
  const start = id.indexOf('_') + 12;
  return id.slice(start, start + 2);
}

/** Returns the shard in a key or token; null if it has none. */
export function shardOfCredential(text: string): Shard | null {
  const [, shard = ''] = /^kin_(?:live|test|token)_(..)/.exec(text) ?? [];
  return isShard(shard) ? shard : null;
}

/** Returns the shard of the id in the path of a signed link; null if it has none. */
export function shardOfPath(path: string): Shard | null {
  const [, shard = ''] = /^\/v1\/\w+\/[a-z]+_.{11}(..).{13}(?:[/?]|$)/.exec(path) ?? [];
  return isShard(shard) ? shard : null;
}
