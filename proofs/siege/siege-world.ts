import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type ApiClient, bodyOrThrow, createApiClient } from '@kinora/stack/harness/api-client';
import { insertProject } from '@kinora/stack/harness/insert-project';
import { type Installation, startInstallation } from '@kinora/stack/harness/installation';
import { openDatabase } from '@kinora/stack/harness/open-database';
import { pngChunk, pngEnd, pngHeader, pngSignature } from '@kinora/stack/harness/png-chunks';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import type { Stack } from '@kinora/stack/parts/stack';
import type { Client } from 'pg';
import { withStore } from '../list-keys.ts';
import type { HostileOrders } from './attack.ts';
import type { HonestOrders } from './honest-tenant.ts';
import { type History, seedHistory } from './seed-history.ts';
import { type AttackName, attackNames } from './siege-evidence.ts';
import type { SiegeSize } from './siege-size.ts';

export interface SiegeWorld {
  installation: Installation;
  database: Client;
  honest: HonestOrders;
  hostile: HostileOrders;
  /** Tasks of the hostile tenant. */
  rows: number;
  close(): Promise<void>;
}

const fields = { prompt: 'A lighthouse at dusk', resolution: '480p', duration: 1 };
const honestTasks = 1_000;
/** A download that fits in no socket buffer, and a small one for the honest tenant. */
const videoBytes = { hostile: 8_000_000, honest: 64_000 };

/**
 * Starts the service with an honest and a hostile tenant, which have the same limits. Both may run no task: the proof is
 * about the door of the service, and rendering ten tasks per second would take more than the two cores that it runs on.
 * So the tasks of the honest tenant wait, and cost what a create costs. The worker delivers webhooks all the same.
 */
export async function startSiegeWorld(
  stack: Stack,
  { claims, rates }: Pick<SiegeSize, 'claims' | 'rates'>,
  onApiExit: () => void,
  report: (line: string) => void,
): Promise<SiegeWorld> {
  const ownPort = await findFreePorts(1);
  await using cleanup = new AsyncDisposableStack();
  const installation = await startInstallation({
    stack,
    roles: ['api'],
    limits: { running: 0, waiting: 100_000, creates: 600, reads: 6_000 },
    loopbackPorts: [ownPort],
    onProgress: report,
    onEnd: (role) => {
      if (role === 'api') onApiExit();
    },
  });
  cleanup.defer(() => installation.close());
  const database = cleanup.use(await openDatabase(stack));

  const { url, liveKey } = installation;
  const honest = createApiClient({ url, key: liveKey });
  const hostileKey = await insertProject(honest, database, { name: 'hostile', running: 0 });
  // Ten of the images with which it fills its storage.
  await database.query(
    `update projects set creates_per_minute = 600, reads_per_minute = 6000, storage_limit_bytes = 200000000
     where name = 'hostile'`,
  );
  const hostile = createApiClient({ url, key: hostileKey });

  report(`seeding ${claims.rows} tasks`);
  const histories = [
    { ...(await createTemplates(hostile, database)), tasks: claims.rows, ...(await putVideo(stack, 'hostile')) },
    { ...(await createTemplates(honest, database)), tasks: honestTasks, ...(await putVideo(stack, 'honest')) },
  ] satisfies History[];
  await Promise.all([seedHistory(stack, histories), installation.start('worker')]);
  await Promise.all([installation.command('sum-usage'), installation.start('relay')]);
  const { rows } = await database.query<{ count: string }>(
    `select count(*) from tasks where project_id = (select id from projects where name = 'hostile')`,
  );

  const imagePath = join(stack.info.folder, 'noise.png');
  writeFileSync(imagePath, noiseImage());
  const listed = bodyOrThrow(await hostile.get<TaskPage>('/v1/videos?status=completed&limit=100'));
  const waiting = await Promise.all(Array.from({ length: 5 }, () => hostile.create(fields)));
  const keys = await makeKeys(hostile);
  await grantAllScopes(database);
  const world: SiegeWorld = {
    installation,
    database,
    honest: { url, key: liveKey, rates, taskIds: await completedIds(honest) },
    hostile: {
      url,
      keys,
      videoUrls: listed.data.flatMap(({ video_url }) => video_url ?? []),
      eventsUrls: waiting.flatMap(({ events_url }) => events_url ?? []),
      endpointIds: await makeEndpoints(hostile, ownPort),
      ownPort,
      imagePath,
      sockets: claims.sockets,
    },
    rows: Number(rows[0]?.count ?? 0),
    close: () => closing.disposeAsync(),
  };
  const closing = cleanup.move();
  return world;
}

interface TaskPage {
  data: { task_id: string; video_url: string | null }[];
}

/** Creates the tasks that the seeded rows are copies of. */
async function createTemplates(api: ApiClient, database: Client): Promise<Pick<History, 'waitingTask' | 'endedTask'>> {
  const uuidOfNewest = async (): Promise<string> => {
    const { rows } = await database.query<{ id: string }>('select id from tasks order by id desc limit 1');
    return rows[0]?.id ?? '';
  };
  await api.create(fields);
  const waitingTask = await uuidOfNewest();
  await api.cancel((await api.create(fields)).task_id);
  return { waitingTask, endedTask: await uuidOfNewest() };
}

async function putVideo(
  { info }: Stack,
  owner: 'hostile' | 'honest',
): Promise<Pick<History, 'objectKey' | 'sizeBytes'>> {
  const objectKey = `videos/${owner}/video.mp4`;
  const Body = randomBytes(videoBytes[owner]);
  await withStore(info.s3, (store) =>
    store.send(new PutObjectCommand({ Bucket: info.s3.bucket, Key: objectKey, Body })),
  );
  return { objectKey, sizeBytes: Body.length };
}

async function completedIds(api: ApiClient): Promise<string[]> {
  const { data } = bodyOrThrow(await api.get<TaskPage>('/v1/videos?status=completed&limit=100'));
  return data.map(({ task_id }) => task_id);
}

/** Gives the hostile tenant's keys every scope, as an operator may do; by default they may not manage webhooks. */
async function grantAllScopes(database: Client): Promise<void> {
  await database.query(
    `update api_keys set scopes = (select scopes from api_keys order by cardinality(scopes) desc limit 1)
     where project_id = (select id from projects where name = 'hostile')`,
  );
}

async function makeKeys(hostile: ApiClient): Promise<Record<AttackName, string>> {
  const keys = await Promise.all(
    attackNames.map(async (name) => {
      const { key } = bodyOrThrow(await hostile.post<{ key: string }>('/v1/api-keys', { name }));
      return [name, key] as const;
    }),
  );
  return Object.fromEntries(keys) as Record<AttackName, string>; // one for each name
}

async function makeEndpoints(hostile: ApiClient, ownPort: number): Promise<string[]> {
  const make = async (number: number): Promise<string> => {
    const url = `http://127.0.0.1:${ownPort}/hooks/${number}`;
    return bodyOrThrow(await hostile.post<{ id: string }>('/v1/webhook-endpoints', { url })).id;
  };
  return Promise.all(Array.from({ length: 10 }, (_, number) => make(number)));
}

/** Returns a valid PNG of 18.75 MB. Noise does not compress, so what the service stores is as large. */
function noiseImage(): Buffer {
  const side = 2_500;
  const rows = Buffer.concat(Array.from({ length: side }, () => Buffer.concat([Buffer.of(0), randomBytes(3 * side)])));
  const data = deflateSync(rows, { level: 0 });
  return Buffer.concat([pngSignature, pngHeader(side, side, 8, 2), pngChunk('IDAT', data), pngEnd]);
}
