/**
 * One of 1,024 logical shards, as two digits of base 32. The ids, keys and tokens of a project carry the shard of the
 * project, so that a proxy sends a request to the installation that holds the project without knowing any project.
 */
export type Shard = string;

export const digits = '0123456789abcdefghjkmnpqrstvwxyz';
const shape = new RegExp(`^[${digits}]{2}$`);

export function isShard(text: string): boolean {
  return shape.test(text);
}

/** Returns the shard in an id: its 12th and 13th character, which lie in the random bits of a UUIDv7 between its times. */
export function shardOfId(id: string): Shard {
  const start = id.indexOf('_') + 12;
  return id.slice(start, start + 2);
}
