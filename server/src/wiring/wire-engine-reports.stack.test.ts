import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { expect, inject, it } from 'vitest';
import { createPrivateApp } from '../api/private-app.ts';
import { readConfig } from '../config/config.ts';
import { strayId } from '../domain/id.fixture.ts';
import { beginOrThrow, useWorld } from '../operations/operations.fixture.ts';
import { createGuardedFetcher } from '../outbound/guarded-fetch.ts';
import { strictPolicy } from '../outbound/outbound-policy.fixture.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import { wireEngineCallbacks, wireEngineReports } from './wire-engine-reports.ts';

const world = useWorld();
const store = useTestStorage();

const fetcher = createGuardedFetcher(strictPolicy);

it('a report that an engine posts to its callback URL is found by the id of its job, in every process', async () => {
  const environment = { ...inject('stackEnvironment'), KINORA_ENV: 'development' };
  const { db, clock, log } = world;
  const receiver = { config: readConfig(environment), db, clock, storage: store.storage };
  const handleEngineCallback = wireEngineCallbacks(receiver, fetcher, () => null);
  const readiness = async () => ({ ready: true, checks: {}, isolation: null });
  const app = createPrivateApp({
    renderMetrics: async () => '',
    readiness,
    handleEngineCallback,
    names: [],
    token: null,
    log,
  });
  try {
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    // This is another process than the one that receives: they share only the database and the store.
    const config = readConfig({ ...environment, KINORA_ENGINE_CALLBACK_URL: url });
    const reports = wireEngineReports({ config, db: world.connect(2), storage: store.publicStorage });
    const begin = async () => (await beginOrThrow(world, await world.accept(await world.newProject()))).attempt;
    const post = async (jobId: string, fields: object) =>
      (
        await fetch(reports.callbackUrlFor(jobId), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id: jobId, ...fields }),
        })
      ).status;

    const { engineJobId: jobId } = await begin();
    expect(await reports.find(jobId)).toBeNull();
    expect(await post(jobId, { status: 'processing', logs: 'step 1/4' })).toBe(200);
    expect(await reports.find(jobId)).toEqual({ state: 'running', progress: 25, heardAt: expect.any(Date) });
    expect(await reports.read(jobId)).toBeNull();
    const video = randomBytes(1000);
    const output = `data:video/mp4;base64,${video.toString('base64')}`;
    expect(await post(jobId, { output, status: 'succeeded' })).toBe(200);
    expect(await reports.find(jobId)).toEqual({ state: 'succeeded' });
    // Without a report, which may be deleted or lost, the object itself shows that the job is done.
    await reports.forget(jobId);
    expect(await reports.find(jobId)).toEqual({ state: 'succeeded' });
    const stored = await reports.read(jobId);
    expect(stored && (await buffer(stored)).equals(video)).toBe(true);

    const { engineJobId: failed } = await begin();
    expect(await post(failed, { status: 'failed', error: 'CUDA out of memory' })).toBe(200);
    expect(await reports.find(failed)).toMatchObject({ state: 'failed', code: 'engine_out_of_memory' });

    const { engineJobId: cancelled } = await begin();
    expect(await post(cancelled, { status: 'canceled' })).toBe(200);
    expect(await reports.find(cancelled)).toEqual({ state: 'cancelled' });

    const { engineJobId: broken } = await begin();
    expect(await post(broken, { status: 'dancing' })).toBe(400);
    expect(await post(`${strayId('task', new Date())}-1`, { status: 'processing' })).toBe(404);
    expect((await fetch(`${reports.callbackUrlFor(broken)}x`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect(await reports.find(broken)).toBeNull();
  } finally {
    await app.close();
  }
});
