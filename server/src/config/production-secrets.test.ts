import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { problemsOf, validEnvironment } from './valid-environment.fixture.ts';

const valid = {
  ...validEnvironment,
  KINORA_ENV: 'production',
  KINORA_PUBLIC_URL: 'https://video.example.com',
  KINORA_S3_ACCESS_KEY_ID: 'kinora',
  KINORA_S3_SECRET_ACCESS_KEY: 'T4vGh1XyQz6RmB8n',
};

/** Returns the problems of a valid production configuration after these settings are changed. */
const problemsWith = (changed: Record<string, string>) => problemsOf({ ...valid, ...changed });

const aProblemOf = (name: string) => [expect.stringMatching(new RegExp(`^${name} `))];

describe('the configuration in production', () => {
  test('production accepts random secrets and refuses a short one', () => {
    expect(problemsWith({})).toEqual([]);
    expect(problemsWith({ KINORA_SECRET_KEYS: 'short' })).toEqual(aProblemOf('KINORA_SECRET_KEYS'));
  });

  test('production refuses the secret key of older examples', () => {
    const changed = { KINORA_SECRET_KEYS: 'change-me-to-32-random-characters-or-more' };
    expect(problemsWith(changed)).toEqual(aProblemOf('KINORA_SECRET_KEYS'));
  });

  test('production refuses the secret key of development', () => {
    const changed = { KINORA_SECRET_KEYS: 'development-only-key-that-signs-nothing-real' };
    expect(problemsWith(changed)).toEqual(aProblemOf('KINORA_SECRET_KEYS'));
  });

  test.each([
    ['repeats one character', 'a'.repeat(32)],
    ['repeats a random part', 'q8Zr2LxV0bYt5NcK'.repeat(3)],
    ['is a sequence', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['has few different characters', '0110100110010110100101100110100101'],
    ['was never changed', 'CHANGE_ME_q8Zr2LxV0bYt5NcK7wDf3HsJ9uMaEoPg'],
  ])('production refuses a secret key that %s, in any place of the list', (_, weak) => {
    expect(problemsWith({ KINORA_SECRET_KEYS: weak })).toEqual(aProblemOf('KINORA_SECRET_KEYS'));
    const second = `${valid.KINORA_SECRET_KEYS},${weak}`;
    expect(problemsWith({ KINORA_SECRET_KEYS: second })).toEqual(aProblemOf('KINORA_SECRET_KEYS'));
    expect(problemsWith({ KINORA_ENV: 'development', KINORA_SECRET_KEYS: weak })).toEqual([]);
  });

  test.each([
    ['16 bytes in hexadecimal', () => randomBytes(16).toString('hex')],
    ['32 bytes in base64', () => randomBytes(32).toString('base64')],
  ])('production accepts every random secret key of %s', (_, newKey) => {
    const keys = Array.from({ length: 1_000 }, newKey).join();
    expect(problemsWith({ KINORA_SECRET_KEYS: keys })).toEqual([]);
  });

  test('production refuses the secrets of older examples for the store and for engines', () => {
    const changed = { KINORA_S3_SECRET_ACCESS_KEY: 'change-me' };
    expect(problemsWith(changed)).toEqual(aProblemOf('KINORA_S3_SECRET_ACCESS_KEY'));
    expect(problemsWith({ KINORA_ENGINE_TOKENS: 'gpu=change-me' })).toEqual(aProblemOf('KINORA_ENGINE_TOKENS'));
  });

  test('production refuses a token of the private port that is short or not random', () => {
    for (const weak of ['short', 'a'.repeat(32)])
      expect(problemsWith({ KINORA_PRIVATE_TOKEN: weak })).toEqual(aProblemOf('KINORA_PRIVATE_TOKEN'));
    expect(problemsWith({ KINORA_PRIVATE_TOKEN: valid.KINORA_SECRET_KEYS })).toEqual([]);
  });

  test('production refuses failpoints', () => {
    expect(problemsWith({ KINORA_FAILPOINTS: 'after-begin' })).toEqual(aProblemOf('KINORA_FAILPOINTS'));
  });

  test('production refuses a public URL that is http and not loopback', () => {
    const changed = { KINORA_PUBLIC_URL: 'http://video.example.com' };
    expect(problemsWith(changed)).toEqual(aProblemOf('KINORA_PUBLIC_URL'));
    expect(problemsWith({ KINORA_PUBLIC_URL: 'http://127.0.0.1.example.com' })).toHaveLength(1);
    for (const url of ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'])
      expect(problemsWith({ KINORA_PUBLIC_URL: url })).toEqual([]);
  });

  test('production refuses a console URL that is http and not loopback', () => {
    const changed = { KINORA_CONSOLE_URL: 'http://console.example.com' };
    expect(problemsWith(changed)).toEqual(aProblemOf('KINORA_CONSOLE_URL'));
    for (const url of ['https://console.example.com', 'https://video.example.com:8443', 'http://127.0.0.1:8081'])
      expect(problemsWith({ KINORA_CONSOLE_URL: url })).toEqual([]);
  });

  test('production lists all of these problems at once, and repeats no secret', () => {
    const problems = problemsWith({ KINORA_SECRET_KEYS: 'hunter22'.repeat(4), KINORA_FAILPOINTS: 'after-begin' });
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('hunter2');
  });
});
