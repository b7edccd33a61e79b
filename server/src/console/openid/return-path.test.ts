import { expect, it } from 'vitest';
import { returnPath } from './return-path.ts';

const consoleUrl = 'https://console.example.com';

it.each(['/', '/tasks?status=failed#last', '/gallery/%2F%2Fevil.example', '/?to=https://evil.example'])(
  'a sign-in returns to the path %s of the console',
  (path) => {
    expect(returnPath(path, consoleUrl)).toBe(path);
  },
);

it.each([
  undefined,
  '',
  'tasks',
  'https://evil.example',
  'https://console.example.com.evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  '/%2e//evil.example',
  '/x/..//evil.example',
  'javascript:alert(1)',
  '/console-api/openid/start',
  '/./console-api/session',
  `/${'a'.repeat(1000)}`,
])('a sign-in never returns to %j', (text) => {
  expect(returnPath(text, consoleUrl)).toBe('/');
});
