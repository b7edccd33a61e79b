import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCredentials, keepCredentials } from './credentials.ts';
import { exitCodeOf, exitCodes } from './exit-codes.ts';

const kept = { baseUrl: 'https://kinora.example.com', apiKey: 'kin_test_kept' };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kinora-'));
});
afterEach(() => rm(folder, { recursive: true }));

const environment = (more: Record<string, string> = {}) => ({ XDG_CONFIG_HOME: folder, ...more });
const path = () => join(folder, 'kinora', 'credentials.json');

test('what was kept is found, and a second login replaces it', async () => {
  expect(await keepCredentials(environment(), { ...kept, apiKey: 'kin_test_first' })).toBe(path());
  await keepCredentials(environment(), kept);
  expect(await findCredentials(environment())).toEqual(kept);
  expect(await readdir(dirname(path()))).toEqual(['credentials.json']);
});

test('only the owner can read the file, also when one that everybody could read was there', async () => {
  await mkdir(dirname(path()));
  await writeFile(path(), '{}');
  await chmod(path(), 0o666);
  await keepCredentials(environment(), kept);
  expect((await stat(path())).mode & 0o777).toBe(0o600);
  expect(await readFile(path(), 'utf8')).toContain(kept.apiKey);
});

test('the variables win over the file', async () => {
  await keepCredentials(environment(), kept);
  const named = { KINORA_BASE_URL: 'https://other.example.com', KINORA_API_KEY: 'kin_live_other' };
  expect(await findCredentials(environment(named))).toEqual({
    baseUrl: 'https://other.example.com',
    apiKey: 'kin_live_other',
  });
  expect(await findCredentials(environment({ KINORA_API_KEY: 'kin_live_other' }))).toEqual({
    ...kept,
    apiKey: 'kin_live_other',
  });
});

test('a kept key is never told to another service', async () => {
  await keepCredentials(environment(), kept);
  const elsewhere = findCredentials(environment({ KINORA_BASE_URL: 'https://other.example.com' }));
  await expect(elsewhere).rejects.toThrow('the kept key is of https://kinora.example.com');
  expect(await findCredentials(environment({ KINORA_BASE_URL: `${kept.baseUrl}/` }))).toMatchObject({
    apiKey: kept.apiKey,
  });
});

test('without any, says what to do', async () => {
  const error = await findCredentials(environment()).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('Run `kinora login`');
  expect(exitCodeOf(error)).toBe(exitCodes.unauthorised);
});

test('a key that was copied from an example is said to be none', async () => {
  const named = { KINORA_BASE_URL: kept.baseUrl, KINORA_API_KEY: 'kin_live_…' };
  const error = await findCredentials(environment(named)).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('KINORA_API_KEY is no key');
  expect(exitCodeOf(error)).toBe(exitCodes.unauthorised);
});

test.each([
  ['not JSON', 'kin_test_'],
  ['does not hold an address and a key', '{"baseUrl": 1}'],
  ['does not hold an address and a key', 'null'],
])('a broken file is said to be so: %s', async (reason, text) => {
  await mkdir(dirname(path()));
  await writeFile(path(), text);
  await expect(findCredentials(environment())).rejects.toThrow(reason);
});
