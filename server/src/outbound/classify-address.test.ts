import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { networkContains, parseAddress, parseNetwork } from '../domain/ip-address.ts';
import { classifyAddress } from './classify-address.ts';
import { specialNetworks } from './special-addresses.ts';

const ipv4Bytes = fc.uint8Array({ minLength: 4, maxLength: 4 });
const ipv6Bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

function bytesOf(text: string): Uint8Array {
  const bytes = parseAddress(text);
  if (!bytes) throw new Error(`not an address: ${text}`);
  return bytes;
}

function firstAndLast(cidr: string): [Uint8Array, Uint8Array] {
  const { base, prefixBits } = parseNetwork(cidr);
  const last = base.map((byte, index) => byte | (0xff >> Math.min(Math.max(prefixBits - index * 8, 0), 8)));
  return [base, last];
}

describe('public addresses', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '::ffff:8.8.8.8',
    '2001:200::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::200e',
    '2620:4f:7fff::1',
    '2620:4f:8001::1',
    '3fff:1000::1',
  ])('%s is public', (text) => {
    expect(classifyAddress(bytesOf(text))).toBe('public');
  });
});

describe('forbidden addresses', () => {
  test.each(specialNetworks)('$network is forbidden from its first to its last address ($purpose)', ({ network }) => {
    expect(firstAndLast(network).map(classifyAddress)).toEqual(['forbidden', 'forbidden']);
  });

  test.each([
    // Metadata services, by name.
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '169.254.0.23',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    // IPv6 that is not global unicast.
    '::',
    '::1',
    '100::1',
    '100:0:0:1::1',
    '1fff:ffff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'ff0e::1',
    // IPv4 inside IPv6, even if the inner address is public.
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::a9fe:a9fe',
    '2002:7f00:1::',
    '2002:808:808::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2606:4700::5efe:127.0.0.1',
    '2606:4700::200:5efe:10.0.0.1',
    // Registry entries inside 2001::/23.
    '2001:1::1',
    '2001:2::1',
    '2001:3::1',
    '2001:4:112::1',
    '2001:10::1',
    '2001:20::1',
    '2001:30::1',
    '2001:1ff:ffff::1',
  ])('%s is forbidden', (text) => {
    expect(classifyAddress(bytesOf(text))).toBe('forbidden');
  });

  test('nothing outside 2000::/3 is public except mapped IPv4', () => {
    const mapped = parseNetwork('::ffff:0:0/96');
    const globalUnicast = parseNetwork('2000::/3');
    fc.assert(
      fc.property(ipv6Bytes, (bytes) => {
        fc.pre(!networkContains(globalUnicast, bytes) && !networkContains(mapped, bytes));
        expect(classifyAddress(bytes)).toBe('forbidden');
      }),
    );
  });

  test('an address of any length other than 4 or 16 bytes is forbidden', () => {
    for (const length of [0, 1, 3, 5, 8, 15, 17, 32]) {
      expect(classifyAddress(new Uint8Array(length).fill(8))).toBe('forbidden');
    }
  });
});

test('a mapped IPv4 address gets the verdict of the IPv4 address', () => {
  const special = fc.constantFrom(...specialNetworks.filter(({ network }) => network.includes('.')));
  const nearSpecial = fc.tuple(special, ipv4Bytes).map(([{ network }, random]) => {
    const { base, prefixBits } = parseNetwork(network);
    // Keeps the network's first bytes and randomises the rest, so that borders are hit often.
    return random.map((byte, index) => (index < Math.floor((prefixBits - 96) / 8) ? (base[12 + index] ?? 0) : byte));
  });
  fc.assert(
    fc.property(fc.oneof(ipv4Bytes, nearSpecial), (bytes) => {
      const mapped = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...bytes);
      expect(classifyAddress(mapped)).toBe(classifyAddress(bytes));
    }),
    { numRuns: 2_000 },
  );
});
