import { random } from './random.ts';
import { type Shard, shardOfCredential } from './shard.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 28;
const checksumLength = 6;
const shape = /^kin_(live|test)_[0-9A-Za-z]{36}$/;

/** A key, shown once and stored as a hash: its mode, the project's shard, 28 random base62 characters, a checksum of 6. */
export function generateApiKey(livemode: boolean, shard: Shard): string {
  let key = (livemode ? 'kin_live_' : 'kin_test_') + shard;
  for (let count = 0; count < secretLength; count += 1) key += alphabet.charAt(random.below(alphabet.length));
  return key + checksumOf(key);
}

/** Returns null if the checksum is wrong, so that a mistyped key is refused without a query. */
export function parseApiKey(text: string): { livemode: boolean; shard: Shard | null } | null {
  if (!shape.test(text)) return null;
  const checked = text.slice(0, -checksumLength);
  if (checksumOf(checked) !== text.slice(-checksumLength)) return null;
  return { livemode: text.startsWith('kin_live_'), shard: shardOfCredential(text) };
}

function checksumOf(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let position = 0; position < checksumLength; position += 1) {
    digits = alphabet.charAt(value % alphabet.length) + digits;
    value = Math.floor(value / alphabet.length);
  }
  return digits;
}

/** Computes zlib's CRC-32 bit by bit: a key is short, and `domain` may not import zlib. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
