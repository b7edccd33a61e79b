import { isLoopbackName, isOwnHost } from '@kinora/settings/own-host';
import { expect, test } from 'vitest';

test.each([
  'localhost:9090',
  '127.0.0.1',
  '10.42.0.17:9090',
  '[::1]:9090',
  '[fd00::7]',
  'Kinora.Internal:80',
  undefined,
])('the Host header %s names a server that is called kinora.internal', (header) => {
  expect(isOwnHost(header, ['kinora.internal'])).toBe(true);
});

test.each([
  'rebound.example.com',
  'kinora.internal.example.com',
  'kinora.internal.',
  '127.0.0.1.example.com',
  'localhost.example.com',
  '',
  'two words',
])('the Host header %j does not', (header) => {
  expect(isOwnHost(header, ['kinora.internal'])).toBe(false);
});

test('only this machine is loopback', () => {
  expect(['localhost', '127.0.0.1', '127.8.9.10', '[::1]'].filter(isLoopbackName)).toHaveLength(4);
  expect(['127.0.0.1.example.com', '10.0.0.1', '[fd00::1]', '0.0.0.0', ''].filter(isLoopbackName)).toEqual([]);
});
