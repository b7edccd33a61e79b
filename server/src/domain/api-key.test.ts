import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateApiKey, parseApiKey } from './api-key.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('an API key', () => {
  it('shows its mode in its prefix and is accepted as generated', () => {
    for (const livemode of [true, false]) {
      const key = generateApiKey(livemode, '00');
      expect(key).toMatch(livemode ? /^kin_live_\w{36}$/ : /^kin_test_\w{36}$/);
      expect(parseApiKey(key)).toEqual({ livemode, shard: '00' });
    }
  });

  it('ends in the CRC32 of the characters before it, in base62', () => {
    const key = generateApiKey(true, '00');
    const value = Array.from(key.slice(-6)).reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0);
    expect(value).toBe(crc32(key.slice(0, -6)));
  });

  it('is refused if any single character is replaced', () => {
    const key = generateApiKey(false, '00');
    fc.assert(
      fc.property(fc.nat(key.length - 1), fc.constantFrom(...alphabet.split('')), (position, character) => {
        fc.pre(key[position] !== character);
        expect(parseApiKey(key.slice(0, position) + character + key.slice(position + 1))).toBeNull();
      }),
    );
  });

  it('is refused if two neighbouring characters are swapped, if it is cut short, or if anything surrounds it', () => {
    const key = generateApiKey(true, '00');
    for (let at = 0; at < key.length - 1; at += 1) {
      const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
      expect(parseApiKey(swapped)).toEqual(swapped === key ? parseApiKey(key) : null);
    }
    for (const text of [key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, '', 'kin_live_']) {
      expect(parseApiKey(text)).toBeNull();
    }
  });

  it('made before keys had shards is still accepted, and names none', () => {
    expect(parseApiKey('kin_live_Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz92CblAE')).toEqual({ livemode: true, shard: null });
  });

  it('is never generated twice', () => {
    expect(new Set(Array.from({ length: 200 }, () => generateApiKey(true, '00'))).size).toBe(200);
  });
});
