import { SettingsError } from '@kinora/settings/read-settings';
import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';

const valid = {
  KINORA_ENV: 'production',
  KINORA_PUBLIC_URL: 'https://video.example.com',
  KINORA_SECRET_KEYS: 'q8Zr2LxV0bYt5NcK7wDf3HsJ9uMaEoPg',
  KINORA_DATABASE_URL: 'postgres://kinora@127.0.0.1:5432/kinora',
  KINORA_S3_ENDPOINT: 'http://127.0.0.1:7070',
  KINORA_S3_ACCESS_KEY_ID: 'kinora',
  KINORA_S3_SECRET_ACCESS_KEY: 'T4vGh1XyQz6RmB8n',
};

/** Returns the problems of a valid production configuration after these settings are changed. */
function problemsWith(changed: Partial<Record<string, string>>): string[] {
  try {
    readConfig({ ...valid, ...changed });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.message.split('\n- ').slice(1);
    throw error;
  }
}

const aProblemOf = (name: string) => [expect.stringMatching(new RegExp(`^${name} `))];

describe('the configuration in production', () => {
  test('production accepts random secrets and refuses a short one', () => {
    expect(problemsWith({})).toEqual([]);
    expect(problemsWith({ KINORA_SECRET_KEYS: 'short' })).toEqual(aProblemOf('KINORA_SECRET_KEYS'));
  });

  test.fails('production refuses the secret key of .env.example (security review, M7; operator review, D11)', () => {
    const changed = { KINORA_SECRET_KEYS: 'change-me-to-32-random-characters-or-more' };
    expect(problemsWith(changed)).toEqual(aProblemOf('KINORA_SECRET_KEYS'));
  });

  test.fails('production refuses the secret key of development (security review, M7)', () => {
    const changed = { KINORA_SECRET_KEYS: 'development-only-key-that-signs-nothing-real' };
    expect(problemsWith(changed)).toEqual(aProblemOf('KINORA_SECRET_KEYS'));
  });

  test.fails('production refuses a secret key that repeats one character (security review, M7)', () => {
    expect(problemsWith({ KINORA_SECRET_KEYS: 'a'.repeat(32) })).toEqual(aProblemOf('KINORA_SECRET_KEYS'));
  });

  test.fails("production refuses the store's secret of .env.example (security review, M7)", () => {
    const changed = { KINORA_S3_SECRET_ACCESS_KEY: 'change-me' };
    expect(problemsWith(changed)).toEqual(aProblemOf('KINORA_S3_SECRET_ACCESS_KEY'));
  });

  test.fails('production refuses failpoints (security review, M7; operator review, D11)', () => {
    expect(problemsWith({ KINORA_FAILPOINTS: 'after-begin' })).toEqual(aProblemOf('KINORA_FAILPOINTS'));
  });

  test.fails('production refuses a public URL that is http and not loopback (security review, M7)', () => {
    const changed = { KINORA_PUBLIC_URL: 'http://video.example.com' };
    expect(problemsWith(changed)).toEqual(aProblemOf('KINORA_PUBLIC_URL'));
  });
});
