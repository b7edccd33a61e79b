import { join } from 'node:path';
import { createApiClient } from '@kinora/stack/harness/api-client';
import { closing } from '@kinora/stack/harness/closing';
import { eventually } from '@kinora/stack/harness/eventually';
import { startInstallation } from '@kinora/stack/harness/installation';
import { smallestModel, writeModelsFile } from '@kinora/stack/harness/models-file';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { pause } from '@kinora/stack/harness/pause';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import { type StubEngine, startStubEngine } from '@kinora/stack/harness/stub-engine';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import { readWal, type WalUse, walPosition } from './read-wal.ts';

/** What an installation writes while nothing runs and while every slot is busy. */
export interface RunningCost {
  endpoints: number;
  jobs: number;
  seconds: number;
  idle: WalUse;
  busy: WalUse;
}

const endpoints = 20;
const slotsEach = 2;
/** As long as three heartbeats of each job. */
const seconds = 180;
/** Longer than all of it. */
const jobMilliseconds = 600_000;

/** Measures what endpoints and running jobs cost while nothing begins or ends. */
export async function measureRunningJobs(stack: Stack, report: (line: string) => void): Promise<RunningCost> {
  await using cleanup = new AsyncDisposableStack();
  const engines: StubEngine[] = [];
  for (let count = 0; count < endpoints; count += 1)
    engines.push(cleanup.use(closing(await startStubEngine({ slots: slotsEach, jobMilliseconds }))));
  const modelsPath = await writeModelsFile(join(stack.info.folder, 'models.json'), {
    models: [{ id: 'stub', pool: 'stub', ...smallestModel }],
    pools: [
      { id: 'stub', engine: 'animatic', endpoints: engines.map(({ url }, index) => ({ id: `stub-${index}`, url })) },
    ],
    allow_gaps: true,
  });
  const jobs = endpoints * slotsEach;
  const installation = cleanup.use(
    await startInstallation({
      stack,
      roles: ['worker', 'relay', 'api'],
      environment: { KINORA_MODELS_FILE: modelsPath },
      limits: { running: jobs, creates: 100_000 },
      onProgress: report,
    }),
  );
  const database = cleanup.use(await openDatabase(stack));
  const api = createApiClient({ url: installation.url, key: installation.liveKey });
  report(`${endpoints} endpoints without jobs`);
  await pause(20_000); // until every role has settled
  const idle = await measure(database);
  for (let count = 0; count < jobs; count += 1) await api.create({ prompt: 'A hill at dusk', ...smallestVideo });
  await eventually('every slot is busy', () => engines.every((engine) => engine.jobs.length === slotsEach));
  report(`${jobs} running jobs`);
  await pause(20_000);
  const busy = await measure(database);
  return { endpoints, jobs, seconds, idle, busy };
}

async function measure(database: Client): Promise<WalUse> {
  const from = await walPosition(database);
  await pause(seconds * 1000);
  return readWal(database, from, await walPosition(database));
}
