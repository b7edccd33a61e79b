import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { readClientAddresses } from './client-address.ts';

/** Returns the client's address of a request that arrives from `peer` at a service that trusts 10.0.0.0/8 and fd00::/8. */
async function addressOf(peer: string, forwardedFor?: string, trustedProxies = ['10.0.0.0/8', 'fd00::/8']) {
  const app = Fastify();
  readClientAddresses(app, trustedProxies);
  app.get('/', async (request) => ({ address: request.clientAddress }));
  const response = await app.inject({
    url: '/',
    remoteAddress: peer,
    headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
  });
  return response.json().address;
}

test('the client’s address is the one that connects, whatever headers it sends', async () => {
  expect(await addressOf('192.0.2.7')).toBe('192.0.2.7');
  expect(await addressOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(await addressOf('192.0.2.7', '203.0.113.1')).toBe('192.0.2.7');
  expect(await addressOf('192.0.2.7', '203.0.113.1, 10.0.0.1')).toBe('192.0.2.7');
  expect(await addressOf('10.0.0.1', '203.0.113.1', [])).toBe('10.0.0.1');
});

test('behind trusted proxies, the client’s address is the last forwarded one that is not theirs', async () => {
  expect(await addressOf('10.0.0.1', '203.0.113.1')).toBe('203.0.113.1');
  expect(await addressOf('::ffff:10.0.0.1', '203.0.113.1 , 10.0.0.2,fd00::2')).toBe('203.0.113.1');
  expect(await addressOf('fd00::1', '2001:DB8:0:0::1')).toBe('2001:db8::1');
});

test('addresses that the client itself puts in front of X-Forwarded-For are ignored', async () => {
  expect(await addressOf('10.0.0.1', '198.51.100.1, 203.0.113.1')).toBe('203.0.113.1');
  expect(await addressOf('10.0.0.1', '10.0.0.9, 203.0.113.1, 10.0.0.2')).toBe('203.0.113.1');
});

test('a trusted proxy that forwards no address, or none that can be parsed, counts as the client', async () => {
  for (const forwardedFor of [undefined, '', ',', 'unknown', '_hidden', '203.0.113.1, garbage', '1.2.3']) {
    expect(await addressOf('10.0.0.1', forwardedFor)).toBe('10.0.0.1');
  }
  expect(await addressOf('10.0.0.1', '10.0.0.3, 10.0.0.2')).toBe('10.0.0.3');
});

test('a port or a zone is not part of the address', async () => {
  expect(await addressOf('10.0.0.1', '203.0.113.1:4711')).toBe('203.0.113.1');
  expect(await addressOf('10.0.0.1', '[2001:db8::1]:4711')).toBe('2001:db8::1');
  expect(await addressOf('10.0.0.1', '[2001:db8::1]')).toBe('2001:db8::1');
  expect(await addressOf('fe80::1%eth0')).toBe('fe80::1');
});
