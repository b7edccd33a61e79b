import { random } from './random.ts';
import { digits, type Shard, shardOfId } from './shard.ts';

/** What always belongs to a project. */
export type OwnedPrefix = 'task' | 'key' | 'evt' | 'file' | 'whk' | 'del';
/** Public ids: a type prefix, `_`, and a UUIDv7 as 26 lower-case Crockford base32 characters. */
export type IdPrefix = OwnedPrefix | 'proj' | 'req' | 'aud' | 'person' | 'sess';

const hexadecimal = '0123456789abcdef';
/** The value of each digit, by its character code. */
const digitOf: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const digit = digits.indexOf(String.fromCharCode(code));
  return digit < 0 ? undefined : digit;
});
const [hyphen, zero, nine, a] = [0x2d, 0x30, 0x39, 0x61];

/** Makes an id. Ids sort by creation time, to the millisecond. What belongs to a project carries the project's shard. */
export function newId(prefix: 'req' | 'person' | 'sess', now: Date): string;
export function newId(prefix: OwnedPrefix | 'aud', now: Date, projectId: string): string;
export function newId(prefix: 'aud', now: Date, projectId: string | null): string;
export function newId(prefix: IdPrefix, now: Date, projectId: string | null = null): string {
  return makeId(prefix, now, projectId === null ? null : shardOfId(projectId));
}

/** Makes the id of a project, in a shard at random unless it has to be in a certain one. */
export function newProjectId(now: Date, shard: Shard | null = null): string {
  return makeId('proj', now, shard);
}

/** Returns the public id of a stored UUID. */
export function idFromUuid(prefix: IdPrefix, uuid: string): string {
  let text = '';
  // 26 digits of 5 bits. A BigInt would take five times as long, and a request converts about ten ids.
  let pending = 0;
  let bits = 2;
  for (let index = 0; index < uuid.length; index += 1) {
    const code = uuid.charCodeAt(index);
    if (code === hyphen) continue;
    pending = (pending << 4) | (code <= nine ? code - zero : code - a + 10);
    bits += 4;
    if (bits < 5) continue;
    bits -= 5;
    text += digits.charAt((pending >> bits) & 31);
    pending &= (1 << bits) - 1;
  }
  return `${prefix}_${text}`;
}

/** Returns the UUID of a public id, or null for any other text, which the API reports as "not found". */
export function uuidFromId(prefix: IdPrefix, id: string): string | null {
  if (!id.startsWith(`${prefix}_`) || id.length !== prefix.length + 27) return null;
  let uuid = '';
  let pending = 0;
  // The two leading zeros of 26 digits do not belong to the 128 bits.
  let bits = -2;
  for (let index = prefix.length + 1; index < id.length; index += 1) {
    const digit = digitOf[id.charCodeAt(index)];
    if (digit === undefined) return null;
    pending = (pending << 5) | digit;
    bits += 5;
    if (bits === 3 && pending > 7) return null;
    while (bits >= 4) {
      bits -= 4;
      if (uuid.length === 8 || uuid.length === 13 || uuid.length === 18 || uuid.length === 23) uuid += '-';
      uuid += hexadecimal.charAt((pending >> bits) & 15);
      pending &= (1 << bits) - 1;
    }
  }
  return uuid;
}

/** An id's UTC day, such as `2026-11-15`: it names the folder of a task's objects and the partition of its row. */
export function dayOfId(prefix: IdPrefix, id: string): string {
  const uuid = uuidFromId(prefix, id);
  if (uuid === null) throw new TypeError(`not an id of this kind: ${prefix}`);
  return timeOfUuid(uuid).toISOString().slice(0, 10);
}

/** Returns our id for the job of an attempt. */
export function engineJobIdOf(taskId: string, attempt: number): string {
  return `${taskId}-${attempt}`;
}

/** Returns when a UUIDv7 was made, to the millisecond. */
export function timeOfUuid(uuid: string): Date {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16));
}

/** Returns the smallest UUIDv7 of a moment. Every UUIDv7 made from then on sorts at or after it. */
export function lowestUuidAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

function makeId(prefix: IdPrefix, now: Date, shard: Shard | null): string {
  const bytes = random.bytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  if (shard !== null) {
    // The shard is bits 53 to 62, so that it is two whole digits.
    const [high = 0, low = 0] = Array.from(shard, (digit) => digits.indexOf(digit));
    bytes[6] = (bytes.readUInt8(6) & 0xf8) | (high >> 2);
    bytes[7] = (bytes.readUInt8(7) & 0x01) | ((high & 3) << 6) | (low << 1);
  }
  return idFromUuid(prefix, bytes.toString('hex'));
}
