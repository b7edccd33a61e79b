import { randomFillSync } from 'node:crypto';

/** Public ids: a type prefix, `_`, and a UUIDv7 as 26 lower-case Crockford base32 characters. */
export type IdPrefix = 'task' | 'key' | 'proj' | 'evt' | 'req' | 'file' | 'whk' | 'del' | 'aud';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Makes an id. Ids sort by creation time, to the millisecond. */
export function newId(prefix: IdPrefix, now: Date): string {
  return formatId(prefix, newUuidBytes(now));
}

/** Returns the public id of a stored UUID. */
export function idFromUuid(prefix: IdPrefix, uuid: string): string {
  return formatId(prefix, Buffer.from(uuid.replaceAll('-', ''), 'hex'));
}

/** Returns the UUID of a public id, or null for any other text, which the API reports as "not found". */
export function uuidFromId(prefix: IdPrefix, id: string): string | null {
  if (!id.startsWith(`${prefix}_`) || id.length !== prefix.length + 27) return null;
  let value = 0n;
  for (const character of id.slice(prefix.length + 1)) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return null;
    value = value * 32n + BigInt(digit);
  }
  if (value >= 1n << 128n) return null;
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * Returns an id's UTC day, such as `2026-11-15`. It names the folder of a task's objects and the partition of its row.
 */
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

function newUuidBytes(now: Date): Buffer {
  const bytes = randomFillSync(Buffer.alloc(16));
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  return bytes;
}

function formatId(prefix: IdPrefix, bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let position = 0; position < 26; position += 1) {
    text = alphabet.charAt(Number(value & 31n)) + text;
    value >>= 5n;
  }
  return `${prefix}_${text}`;
}
