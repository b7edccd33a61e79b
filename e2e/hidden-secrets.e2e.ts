import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { testFolder } from '@kinora/stack/harness/test-folder';
import { expect, inject, onTestFinished, test } from 'vitest';
import { commandOutcome } from './operator-command.ts';
import { plainPicture } from './sample-pictures.ts';
import { startSecondApi } from './second-api.ts';

const { environment, rolePids, testKey } = inject('world');

const secretSettings = ['KINORA_SECRET_KEYS', 'KINORA_DATABASE_URL', 'KINORA_S3_SECRET_ACCESS_KEY'] as const;
const secrets = secretSettings.map((name) => environment[name] ?? '');

/** Returns what every process of the same user can read about a process for as long as it runs. */
function shownBy(pid: number): string {
  const files = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      return ''; // closed meanwhile
    }
  });
  const [environ, commandLine] = ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
  return [environ, commandLine, ...files].join('\n');
}

function expectNoSecret(shown: string): void {
  expect(secrets.every((secret) => secret.length > 16)).toBe(true);
  expect(secrets.filter((secret) => shown.includes(secret))).toEqual([]);
  expect(shown).not.toContain('/dev/shm');
}

test('no role shows a secret in its environment or on its command line, or holds the file that carried it', () => {
  expect(Object.keys(rolePids).sort()).toEqual(['animatic', 'api', 'relay', 'worker']);
  for (const pid of Object.values(rolePids)) {
    const shown = shownBy(pid);
    expect(shown).toContain('KINORA_SCRATCH_FOLDER=');
    expectNoSecret(shown);
  }
});

test('a role takes its secrets from files, and the credentials of the store from the default chain', async () => {
  const folder = testFolder(onTestFinished);
  const inFiles = await Promise.all(
    (['KINORA_SECRET_KEYS', 'KINORA_DATABASE_URL'] as const).map(async (name) => {
      await writeFile(join(folder, name), `${environment[name] ?? ''}\n`, { mode: 0o600 });
      return { [name]: '', [`${name}_FILE`]: join(folder, name) };
    }),
  );
  await using api = await startSecondApi('api-with-secret-files', {
    ...Object.assign({}, ...inFiles),
    KINORA_S3_ACCESS_KEY_ID: '',
    KINORA_S3_SECRET_ACCESS_KEY: '',
    AWS_ACCESS_KEY_ID: environment['KINORA_S3_ACCESS_KEY_ID'] ?? '',
    AWS_SECRET_ACCESS_KEY: environment['KINORA_S3_SECRET_ACCESS_KEY'] ?? '',
  });
  expectNoSecret(shownBy(api.pid));
  const form = new FormData();
  form.set('file', new File([Uint8Array.from(await plainPicture('400x400'))], 'grey.png'));
  // The file is written to the store before the response is sent.
  const uploaded = await createApiClient({ url: api.url, key: testKey }).fetch('/v1/files', {
    method: 'POST',
    body: form,
  });
  expect([uploaded.status, await uploaded.json()]).toEqual([200, expect.objectContaining({ object: 'file' })]);
});

test('a command asks only for the settings that it uses', async () => {
  const databaseOnly = { KINORA_DATABASE_URL: environment['KINORA_DATABASE_URL'] ?? '' };
  const run = (settings: Record<string, string>, ...args: string[]) => commandOutcome(args, settings);
  expect(await run(databaseOnly, 'projects', 'list')).toMatchObject({ code: 0 });
  expect(await run(databaseOnly, 'migrate')).toMatchObject({ code: 0 });
  expect(await run({}, 'outbound', 'fetch', 'http://127.0.0.1')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('refused'),
  });
  const sweep = await run(databaseOnly, 'sweep', '--dry-run');
  expect([sweep.code, sweep.stderr]).toEqual([1, expect.stringContaining('KINORA_S3_ENDPOINT is missing')]);
});
