import { expect, test } from 'vitest';
import { publicAddresses } from './public-addresses.ts';

const ofMachine = (...addresses: string[]) => ({
  lo: [{ address: '127.0.0.1', family: 'IPv4' as const }],
  eth0: addresses.map((address) => ({ address, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as const),
});

test.each([
  ['0.0.0.0', ['10.0.0.7', '8.8.8.8', '2606:4700::1'], ['8.8.8.8']],
  ['::', ['10.0.0.7', '8.8.8.8', '2606:4700::1'], ['8.8.8.8', '2606:4700::1']],
  ['8.8.8.8', [], ['8.8.8.8']],
  ['0.0.0.0', ['10.0.0.7'], []],
  ['::', ['10.0.0.7', 'fe80::1'], []],
  ['10.0.0.7', ['10.0.0.7', '8.8.8.8'], []],
  ['127.0.0.1', ['8.8.8.8'], []],
  ['localhost', ['8.8.8.8'], []],
])('a port on %s of a machine with the addresses %j is public at %j', (host, addresses, expected) => {
  expect(publicAddresses(host, ofMachine(...addresses))).toEqual(expected);
});
