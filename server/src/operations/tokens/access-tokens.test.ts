import { expect, test } from 'vitest';
import { clockAt } from '../../domain/clock.fixture.ts';
import { type AccessToken, createAccessTokens, isAccessToken } from './access-tokens.ts';

const now = new Date('2026-11-18T03:00:00Z');
const clock = clockAt(() => now);
const tokens = createAccessTokens({ secretKeys: ['first secret of this test', 'second secret'], clock });
const token: AccessToken = {
  keyId: 'key_01h455vb4pex5vsknk084sn02q',
  sessionId: 'sess_01h455vb4pex5vsknk084sn02q',
  scopes: ['videos:read', 'usage:read'],
  taskId: 'task_01h455vb4pex5vsknk084sn02q',
  expiresAt: new Date(now.getTime() + 60_000),
};

test('a token says what it was issued with', () => {
  const text = tokens.issue(token);
  expect(text).toMatch(/^kin_token_[\w-]+\.[\w-]{43}$/);
  expect(isAccessToken(text)).toBe(true);
  expect(tokens.verify(text)).toEqual(token);
  const plain = { ...token, sessionId: null, taskId: null };
  expect(tokens.verify(tokens.issue(plain))).toEqual(plain);
});

test('a token expires at its second', () => {
  expect(tokens.verify(tokens.issue({ ...token, expiresAt: new Date(now.getTime() + 1_000) }))).not.toBe('expired');
  expect(tokens.verify(tokens.issue({ ...token, expiresAt: now }))).toBe('expired');
});

test('a token that was changed in any character is refused', () => {
  const text = tokens.issue(token);
  for (let position = 0; position < text.length; position += 1) {
    const other = text[position] === 'A' ? 'B' : 'A';
    expect(tokens.verify(text.slice(0, position) + other + text.slice(position + 1))).toBeNull();
    expect(tokens.verify(text.slice(0, position))).toBeNull();
  }
  for (const more of [`${text}A`, `${text}=`, `${text}.`, ` ${text}`, `${text}\n`]) {
    expect(tokens.verify(more)).toBeNull();
  }
});

test('the payload of one token with the signature of another is refused', () => {
  const [payload] = tokens.issue(token).split('.');
  const [, signature] = tokens.issue({ ...token, scopes: ['keys:manage'] }).split('.');
  expect(tokens.verify(`${payload}.${signature}`)).toBeNull();
});

test('each secret key verifies, and only the first signs', () => {
  const rotated = createAccessTokens({ secretKeys: ['new secret', 'first secret of this test'], clock });
  expect(rotated.verify(tokens.issue(token))).toEqual(token);
  expect(tokens.verify(rotated.issue(token))).toBeNull();
  const stranger = createAccessTokens({ secretKeys: ['the secret of somebody else'], clock });
  expect(tokens.verify(stranger.issue(token))).toBeNull();
});

test('text that is no token is refused', () => {
  for (const text of ['', 'kin_token_', 'kin_token_.', 'kin_token_e30.', `kin_token_${'A'.repeat(5_000)}.AAAA`]) {
    expect(tokens.verify(text)).toBeNull();
  }
});

test('the longest token fits in a header', () => {
  const text = tokens.issue({
    ...token,
    scopes: [
      'videos:read',
      'videos:write',
      'files:write',
      'usage:read',
      'webhooks:manage',
      'keys:manage',
      'audit:read',
    ],
  });
  expect(tokens.verify(text)).not.toBeNull();
  expect(text.length).toBeLessThan(512);
});
