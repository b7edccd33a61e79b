import { random } from './random.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 30;
const checksumLength = 6;
const shape = /^kin_(live|test)_[0-9A-Za-z]{36}$/;

/** A key, shown once and stored as a hash: the prefix of its mode, 30 random base62 characters, a checksum of 6. */
export function generateApiKey(livemode: boolean): string {
  let key = livemode ? 'kin_live_' : 'kin_test_';
  for (let position = 0; position < secretLength; position += 1) key += alphabet.charAt(random.below(alphabet.length));
  return key + checksumOf(key);
}

/** Returns null if the checksum is wrong, so that a mistyped key is refused without a query. */
export function parseApiKey(text: string): { livemode: boolean } | null {
  if (!shape.test(text)) return null;
  const checked = text.slice(0, -checksumLength);
  if (checksumOf(checked) !== text.slice(-checksumLength)) return null;
  return { livemode: text.startsWith('kin_live_') };
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
