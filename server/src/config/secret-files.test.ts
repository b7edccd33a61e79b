import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { SettingsError } from '@kinora/settings/read-settings';
import { describe, expect, test } from 'vitest';
import { readCommandConfig, readConfig, secretNames } from './config.ts';
import { problemsOf, validEnvironment } from './valid-environment.fixture.ts';

const folder = temporaryFolder('secrets');

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(folder, 'file-')), 'secret');
  writeFileSync(path, text);
  return path;
}

const { KINORA_SECRET_KEYS: secretKey, ...base } = validEnvironment;
const databaseUrl = base.KINORA_DATABASE_URL;

describe('a secret in a file', () => {
  test.each(['', '\n', '\r\n'])('counts like one in the environment, without the line end %j', (end) => {
    const config = readConfig({ ...base, KINORA_SECRET_KEYS_FILE: fileWith(secretKey + end) });
    expect(config).toEqual(readConfig({ ...base, KINORA_SECRET_KEYS: secretKey }));
  });

  test('can be each secret, and nothing else', () => {
    expect(secretNames).toContain('KINORA_DATABASE_URL');
    const missing = join(folder, 'nowhere');
    const files = Object.fromEntries(secretNames.map((name) => [`${name}_FILE`, missing]));
    expect(problemsOf({ KINORA_S3_ENDPOINT: base.KINORA_S3_ENDPOINT, ...files })).toEqual(
      secretNames.map((name) =>
        expect.stringContaining(`${name} has no value: ${name}_FILE names a file that cannot be read (ENOENT)`),
      ),
    );
    const port = { ...base, KINORA_SECRET_KEYS: secretKey, KINORA_PORT_FILE: fileWith('80') };
    expect(problemsOf(port)).toEqual([expect.stringContaining('KINORA_PORT_FILE is not a setting')]);
  });

  test('is refused if the secret is also in the environment, or if the file is empty', () => {
    const twice = { ...base, KINORA_SECRET_KEYS: secretKey, KINORA_SECRET_KEYS_FILE: fileWith(secretKey) };
    expect(problemsOf(twice)).toEqual([
      expect.stringContaining(
        'KINORA_SECRET_KEYS is set twice: use either KINORA_SECRET_KEYS or KINORA_SECRET_KEYS_FILE',
      ),
    ]);
    expect(problemsOf({ ...base, KINORA_SECRET_KEYS_FILE: fileWith('\n') })).toEqual([
      expect.stringContaining('KINORA_SECRET_KEYS has no value: KINORA_SECRET_KEYS_FILE names an empty file'),
    ]);
  });

  test('is never repeated in an error, even if it was put in the place of the path', () => {
    const problems = [
      ...problemsOf({ ...base, KINORA_SECRET_KEYS_FILE: fileWith('hunter2') }),
      ...problemsOf({ ...base, KINORA_SECRET_KEYS_FILE: 'hunter2' }),
    ];
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('hunter2');
  });
});

test('the keys of the store are set both or not at all', () => {
  const key = { ...base, KINORA_SECRET_KEYS: secretKey, KINORA_S3_ACCESS_KEY_ID: 'kinora' };
  expect(problemsOf(key)).toEqual([
    'KINORA_S3_ACCESS_KEY_ID and KINORA_S3_SECRET_ACCESS_KEY must be set both or not at all.',
  ]);
  expect(problemsOf({ ...key, KINORA_S3_SECRET_ACCESS_KEY: 'T4vGh1XyQz6RmB8n' })).toEqual([]);
});

describe('the settings of a command', () => {
  test('are asked for only when the command uses them', () => {
    const config = readCommandConfig({ KINORA_DATABASE_URL: databaseUrl });
    expect(config.KINORA_DATABASE_URL).toBe(databaseUrl);
    expect(() => config.KINORA_S3_ENDPOINT).toThrow('KINORA_S3_ENDPOINT is missing');
    expect(() => config.KINORA_SECRET_KEYS).toThrow(SettingsError);
  });

  test('are refused if they are wrong, as those of a role', () => {
    const wrong = { KINORA_PORT: 'x', KINORA_POTR: '1', KINORA_SECRET_KEYS: 'short' };
    expect(problemsOf(wrong, readCommandConfig)).toHaveLength(3);
    expect(problemsOf({ KINORA_SECRET_KEYS: 'a'.repeat(40) }, readCommandConfig)).toHaveLength(1);
  });
});
