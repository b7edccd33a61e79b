import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findCredentials, removeCredentials, storeCredentials } from './credentials.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';

const stored = { baseUrl: 'https://kinora.example.com', apiKey: 'kin_test_stored' };

let folder: string;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
});

const environment = (more: Record<string, string> = {}) => ({ XDG_CONFIG_HOME: folder, ...more });
const path = () => join(folder, 'kinora', 'credentials.json');

test('stored credentials are found, and a second login replaces them', async () => {
  expect(await storeCredentials(environment(), { ...stored, apiKey: 'kin_test_first' })).toBe(path());
  await storeCredentials(environment(), stored);
  expect(await findCredentials(environment())).toEqual(stored);
  expect(await readdir(dirname(path()))).toEqual(['credentials.json']);
});

test('only the owner can read the file, even if it replaces one that everyone could read', async () => {
  await mkdir(dirname(path()));
  await writeFile(path(), '{}');
  await chmod(path(), 0o666);
  await storeCredentials(environment(), stored);
  expect((await stat(path())).mode & 0o777).toBe(0o600);
  expect(await readFile(path(), 'utf8')).toContain(stored.apiKey);
});

test('environment variables win over the file', async () => {
  await storeCredentials(environment(), stored);
  const named = { KINORA_BASE_URL: 'https://other.example.com', KINORA_API_KEY: 'kin_live_other' };
  expect(await findCredentials(environment(named))).toEqual({
    baseUrl: 'https://other.example.com',
    apiKey: 'kin_live_other',
  });
  expect(await findCredentials(environment({ KINORA_API_KEY: 'kin_live_other' }))).toEqual({
    ...stored,
    apiKey: 'kin_live_other',
  });
});

test('a stored key is never sent to another service', async () => {
  await storeCredentials(environment(), stored);
  const elsewhere = findCredentials(environment({ KINORA_BASE_URL: 'https://other.example.com' }));
  await expect(elsewhere).rejects.toThrow('the stored key is for https://kinora.example.com');
  expect(await findCredentials(environment({ KINORA_BASE_URL: `${stored.baseUrl}/` }))).toMatchObject({
    apiKey: stored.apiKey,
  });
});

test('without credentials, the error says how to provide them', async () => {
  const error = await findCredentials(environment()).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('Run `kinora login`');
  expect(exitCodeOf(error)).toBe(exitCodes.unauthorised);
});

test('a key copied from an example is rejected as not a key', async () => {
  const named = { KINORA_BASE_URL: stored.baseUrl, KINORA_API_KEY: 'kin_live_…' };
  const error = await findCredentials(environment(named)).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('KINORA_API_KEY is not a key');
  expect(exitCodeOf(error)).toBe(exitCodes.unauthorised);
});

test.each([
  ['not JSON', 'kin_test_'],
  ['does not contain an address and a key', '{"baseUrl": 1}'],
  ['does not contain an address and a key', 'null'],
  ['does not contain an address and a key', '{"profiles": {"staging": {"baseUrl": "https://staging.example.com"}}}'],
])('a broken credentials file is reported: %s', async (reason, text) => {
  await mkdir(dirname(path()));
  await writeFile(path(), text);
  await expect(findCredentials(environment())).rejects.toThrow(reason);
});

describe('profiles', () => {
  const staging = { baseUrl: 'https://staging.example.com', apiKey: 'kin_test_staging' };
  beforeEach(async () => {
    await storeCredentials(environment(), stored);
    await storeCredentials(environment(), staging, 'staging');
  });

  test('each profile keeps the key of its own service, and a file from before profiles is the default one', async () => {
    expect(await findCredentials(environment())).toEqual(stored);
    expect(await findCredentials(environment(), 'staging')).toEqual(staging);
    expect(await findCredentials(environment(), 'default')).toEqual(stored);
    expect(await findCredentials(environment({ KINORA_PROFILE: 'staging' }))).toEqual(staging);
    expect(JSON.parse(await readFile(path(), 'utf8'))).toMatchObject(stored);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
  });

  test('a profile on the command line wins over the environment, and the environment over KINORA_PROFILE', async () => {
    const given = { KINORA_BASE_URL: 'https://other.example.com', KINORA_API_KEY: 'kin_live_other' };
    expect(await findCredentials(environment(given), 'staging')).toEqual(staging);
    const both = environment({ ...given, KINORA_PROFILE: 'staging' });
    expect(await findCredentials(both)).toMatchObject({ apiKey: 'kin_live_other' });
  });

  test('the key of a profile is never sent to another service', async () => {
    const elsewhere = environment({ KINORA_BASE_URL: stored.baseUrl, KINORA_PROFILE: 'staging' });
    await expect(findCredentials(elsewhere)).rejects.toThrow('the stored key is for https://staging.example.com');
  });

  test('the error for an unknown profile names those that are stored', async () => {
    for (const name of ['stagin', 'constructor']) {
      const error = await findCredentials(environment(), name).catch((thrown: unknown) => thrown);
      expect(String(error)).toContain('Stored profiles: default, staging.');
      expect(exitCodeOf(error)).toBe(exitCodes.unauthorised);
    }
    await expect(findCredentials(environment(), '../x')).rejects.toThrow('cannot be the name of a profile');
  });

  test('a logout removes one profile, and the last one removes the file', async () => {
    expect(await removeCredentials(environment(), 'default')).toBe(stored.baseUrl);
    await expect(findCredentials(environment())).rejects.toThrow('Run `kinora login`');
    expect(await findCredentials(environment(), 'staging')).toEqual(staging);
    expect(await removeCredentials(environment(), 'default')).toBeNull();
    expect(await removeCredentials(environment(), 'staging')).toBe(staging.baseUrl);
    expect(await readdir(dirname(path()))).toEqual([]);
    expect(await removeCredentials(environment(), 'staging')).toBeNull();
  });
});
