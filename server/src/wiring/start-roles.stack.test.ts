import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { readConfig } from '../config/config.ts';
import { createEmptyDatabase, createTestDatabase } from '../db/database.fixture.ts';
import { systemClock } from '../domain/clock.ts';
import { strayId } from '../domain/id.fixture.ts';
import { logPartProblems } from '../health/part-problems.ts';
import { readCallbackSecret } from '../operations/webhooks/callback-secret.ts';
import { createLog } from '../telemetry/log.ts';
import { createSecretBox } from '../webhooks/secret-box.ts';
import { wireFoundation } from './foundation.ts';
import { startRoles } from './start-roles.ts';

/** Makes the drain of a process last until the returned function is called, instead of this long. */
function holdDrain(drainSeconds: number): () => void {
  const drain = Promise.withResolvers<void>();
  const start = timers.setTimeout;
  const hold = vi.spyOn(timers, 'setTimeout').mockImplementation(async (milliseconds, value, options) => {
    if (milliseconds !== drainSeconds * 1000) return start(milliseconds, value, options);
    await drain.promise;
    return value;
  });
  syncBuiltinESMExports(); // of modules that import only this function too
  onTestFinished(() => {
    hold.mockRestore();
    syncBuiltinESMExports();
  });
  return drain.resolve;
}

it('a process that is told to stop fails /readyz at once, and its API still serves requests until it has drained', async () => {
  const database = await createTestDatabase();
  const scratch = temporaryFolder('start-roles', onTestFinished);
  const port = await findFreePorts(2);
  const drainSeconds = 29; // nothing else pauses as long
  const endDrain = holdDrain(drainSeconds);
  const config = readConfig({
    ...inject('stackEnvironment'),
    KINORA_ENV: 'development',
    KINORA_LOG_LEVEL: 'silent',
    KINORA_DATABASE_URL: database.url,
    KINORA_PORT: String(port),
    KINORA_PRIVATE_PORT: String(port + 1),
    KINORA_DRAIN_SECONDS: String(drainSeconds),
    KINORA_SCRATCH_FOLDER: scratch,
  });
  const started = await startRoles(config, ['api', 'relay']);
  const api = `http://127.0.0.1:${port}`;
  const readiness = async () =>
    Promise.all([api, `http://127.0.0.1:${port + 1}`].map(async (url) => (await fetch(`${url}/readyz`)).status));
  try {
    // On a busy machine, the first checks of the parts may run out of time.
    await expect.poll(() => readiness(), { interval: 200 }).toEqual([200, 200]);
    const closing = started.close();
    expect(await readiness()).toEqual([503, 503]);
    expect(await (await fetch(`http://127.0.0.1:${port + 1}/readyz`)).json()).toEqual({
      status: 'not_ready',
      checks: { process: 'failed' },
      isolation: expect.stringMatching(/^(confined|namespaces)$/),
    });
    expect((await fetch(`${api}/v1/videos`)).status).toBe(401);
    endDrain();
    await closing;
    await expect(fetch(`${api}/healthz`)).rejects.toThrow('fetch failed');
  } finally {
    await database.drop();
  }
});

it('a process whose KINORA_SECRET_KEYS lacks the key of a stored secret does not start, and says so', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const scratch = temporaryFolder('start-roles', onTestFinished);
  const [oldKey, newKey] = ['the-key-that-is-about-to-be-retired', 'the-key-that-takes-its-place-today'];
  const startWith = (keys: string) =>
    startRoles(
      readConfig({
        ...inject('stackEnvironment'),
        KINORA_ENV: 'development',
        KINORA_LOG_LEVEL: 'silent',
        KINORA_DATABASE_URL: database.url,
        KINORA_PRIVATE_PORT: '0',
        KINORA_SCRATCH_FOLDER: scratch,
        KINORA_SECRET_KEYS: keys,
      }),
      ['relay'],
    );
  const project = await database.db.projects.insert('rotation', systemClock.now());
  const tools = {
    db: database.db,
    clock: systemClock,
    box: createSecretBox([oldKey]),
    newSecret: () => 'whsec_c2VjcmV0',
  };
  await readCallbackSecret(tools, { projectId: project.id, livemode: true, keyId: strayId('key', systemClock.now()) });
  await expect(startWith(newKey)).rejects.toThrow('KINORA_SECRET_KEYS lacks the key of 1 stored webhook');
  const started = await startWith(`${newKey},${oldKey}`);
  await started.close();
});

it('a process logs at start which part cannot be used, by which setting, why, and what to do', async () => {
  const empty = await createEmptyDatabase();
  onTestFinished(() => empty.drop());
  const scratch = temporaryFolder('start-roles', onTestFinished);
  const lines: { event?: string; part?: string }[] = [];
  const config = readConfig({
    ...inject('stackEnvironment'),
    KINORA_ENV: 'development',
    KINORA_DATABASE_URL: empty.url,
    KINORA_TEMPORAL_NAMESPACE: 'nowhere',
    KINORA_S3_BUCKET: 'nowhere',
    KINORA_SCRATCH_FOLDER: scratch,
  });
  const foundation = wireFoundation(config, ['api']);
  onTestFinished(() => foundation.close());
  const log = createLog({
    level: 'warn',
    roles: ['api'],
    write: (line) => void lines.push(JSON.parse(line) as object),
  });
  await logPartProblems({ ...foundation, log }, ['postgres', 'temporal', 'store'], () => false);
  expect(lines.toSorted((one, other) => String(one.part).localeCompare(String(other.part)))).toMatchObject([
    { event: 'part.unusable', part: 'postgres', remedy: expect.stringContaining('kinora-server migrate') },
    {
      event: 'part.unusable',
      part: 'store',
      settings: ['KINORA_S3_BUCKET'],
      reason: expect.stringContaining('bucket'),
    },
    { event: 'part.unusable', part: 'temporal', settings: ['KINORA_TEMPORAL_NAMESPACE'] },
  ]);
  lines.length = 0;
  await logPartProblems({ ...foundation, log }, ['postgres', 'temporal', 'store'], () => true);
  expect(lines).toEqual([]);
});
