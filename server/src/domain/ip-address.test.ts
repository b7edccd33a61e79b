import { isIP } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientNetwork, formatAddress, networkContains, parseAddress, parseNetwork } from './ip-address.ts';

const ipv4Bytes = fc.uint8Array({ minLength: 4, maxLength: 4 });
const ipv6Bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

function bytesOf(text: string): Uint8Array {
  const bytes = parseAddress(text);
  if (!bytes) throw new Error(`not an address: ${text}`);
  return bytes;
}

describe('parsing addresses', () => {
  test('an address that the URL parser or the system has written is parsed to the same bytes', () => {
    fc.assert(
      fc.property(ipv4Bytes, ipv6Bytes, (four, sixteen) => {
        const dotted = four.join('.');
        const groups = Array.from({ length: 8 }, (_, index) =>
          (((sixteen[index * 2] ?? 0) << 8) | (sixteen[index * 2 + 1] ?? 0)).toString(16),
        ).join(':');
        expect(parseAddress(new URL(`https://${dotted}/`).hostname)).toEqual(four);
        expect(parseAddress(new URL(`https://[${groups}]/`).hostname)).toEqual(sixteen);
        expect(parseAddress(groups)).toEqual(sixteen);
      }),
    );
  });

  test('a text that is parsed as an address is one to the socket layer too, so it is never looked up', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'0123456789abf.:%[]x'.split('')), maxLength: 24 });
    fc.assert(
      fc.property(fc.oneof(nearly, fc.ipV4(), fc.ipV6(), fc.ipV4Extended()), (text) => {
        if (text.startsWith('[') || parseAddress(text) === null) return;
        expect(isIP(text)).not.toBe(0);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '1.2.3.256',
    '1.2.3.4.',
    ' 1.2.3.4',
    '0x7f.0.0.1',
    '2130706433',
    'localhost',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    '::1.2.3',
    '1.2.3.4::',
    '::1.2.3.4:5',
    '12345::',
    'fe80::1%eth0',
    '::1%0',
    '[::1',
    '::1]',
    '[1.2.3.4]',
  ])('%j is not an address', (text) => {
    expect(parseAddress(text)).toBeNull();
  });
});

describe('networks', () => {
  test.each(['', '10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0/8', '::/129', 'localhost/8', '/8'])(
    '%j is refused as a network',
    (text) => {
      expect(() => parseNetwork(text)).toThrow('CIDR');
    },
  );

  test('a wide IPv6 network does not include IPv4', () => {
    expect(networkContains(parseNetwork('::/0'), bytesOf('::1'))).toBe(true);
    expect(networkContains(parseNetwork('::/0'), bytesOf('127.0.0.1'))).toBe(false);
    expect(networkContains(parseNetwork('0.0.0.0/0'), bytesOf('127.0.0.1'))).toBe(true);
    expect(networkContains(parseNetwork('0.0.0.0/0'), bytesOf('::1'))).toBe(false);
  });
});

describe('writing addresses', () => {
  test('an address that is written is parsed to the same bytes', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4Bytes, ipv6Bytes), (bytes) => {
        const written = formatAddress(bytes);
        expect(isIP(written)).not.toBe(0);
        expect(formatAddress(bytesOf(written))).toBe(written);
      }),
    );
  });

  test.each([
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['::1', '::1'],
  ])('%s is written as %s', (text, written) => {
    expect(formatAddress(bytesOf(text))).toBe(written);
  });
});

test('all IPv6 addresses of one /64 count as one client, and each IPv4 address as one', () => {
  expect(clientNetwork('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(clientNetwork('2001:db8:1:2:ffff::')).toBe('2001:db8:1:2::/64');
  expect(clientNetwork('2001:db8:1:3::')).toBe('2001:db8:1:3::/64');
  expect(clientNetwork('192.0.2.7')).toBe('192.0.2.7');
});
