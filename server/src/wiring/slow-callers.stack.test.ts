import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { eventually } from '@kinora/stack/harness/eventually';
import { findFreePorts } from '@kinora/stack/parts/free-port';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { readConfig } from '../config/config.ts';
import { createApiKey } from '../operations/keys/create-api-key.ts';
import { beginOrThrow, operator, useWorld, videoOf, type World } from '../operations/operations.fixture.ts';
import { completeTask } from '../operations/tasks/complete-task.ts';
import { listen } from '../outbound/loopback-server.fixture.ts';
import { useTestStorage } from '../storage/storage.fixture.ts';
import type { Started } from './foundation.ts';
import { startRoles } from './start-roles.ts';

/** Far more than may download at once. */
const silentReaders = 100;
const connectionLimit = 300;
/** More than what the kernel takes for a reader that does not read: by default up to 4 MiB to send and 6 to 32 received. */
const largeVideo = Buffer.alloc(48_000_000, 1);
const smallVideo = Buffer.alloc(100_000, 2);

const world = useWorld();
const store = useTestStorage();
let api: Started;
let port: number;
const scratch = temporaryFolder('slow-callers');
let hostile: Awaited<ReturnType<typeof createTenant>>;
let honest: typeof hostile;
const sockets: Socket[] = [];

beforeAll(async () => {
  port = await findFreePorts(2);
  const config = readConfig({
    ...inject('stackEnvironment'),
    KINORA_ENV: 'development',
    KINORA_LOG_LEVEL: 'silent',
    KINORA_DATABASE_URL: world.url,
    KINORA_S3_BUCKET: store.bucket,
    KINORA_PUBLIC_URL: `http://127.0.0.1:${port}`,
    KINORA_PORT: String(port),
    KINORA_PRIVATE_PORT: String(port + 1),
    KINORA_DRAIN_SECONDS: '0',
    KINORA_SCRATCH_FOLDER: scratch,
    KINORA_CONNECTION_LIMIT: String(connectionLimit),
    KINORA_DOWNLOAD_LIMIT: '160', // 20 per project, 10 per task
  });
  // The server looks at the pace of its callers only when a test moves this clock: nobody is disconnected before.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  api = await startRoles(config, ['api']);
  [hostile, honest] = await Promise.all([createTenant(largeVideo), createTenant(smallVideo)]);
});
afterAll(async () => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  await api?.close();
});

/** Creates a project with a key and three completed tasks. */
async function createTenant(video: Buffer) {
  const project = await world.newProject();
  const { key } = await createApiKey(world, operator, { projectId: project.id, livemode: true, name: 'a key' });
  const headers = { authorization: `Bearer ${key}` };
  const tasks = [];
  for (let count = 0; count < 3; count += 1) {
    const { id } = await completed(project, video);
    const response = await fetch(`http://127.0.0.1:${port}/v1/videos/${id}`, { headers });
    const { video_url: videoUrl } = (await response.json()) as { video_url: string };
    tasks.push({ videoUrl, path: `/v1/videos/${id}/content` });
  }
  const [first, second, third] = tasks;
  if (!first || !second || !third) throw new Error('a task is missing');
  return { headers, tasks: [first, second, third] as const };
}

async function completed(project: Awaited<ReturnType<World['newProject']>>, video: Buffer) {
  const task = await world.accept(project);
  await beginOrThrow(world, task);
  const made = videoOf(task.id);
  await store.storage.put(made.objectKey, video, 'video/mp4');
  await completeTask({ ...world, storage: store.storage }, task.id, 1, made);
  return task;
}

/** Opens downloads whose readers stop after the first bytes of the response. Returns how many got which status. */
async function stall(count: number, url: string, headers: Record<string, string> = {}) {
  const { pathname, search } = new URL(url, `http://127.0.0.1:${port}`);
  const lines = Object.entries({ host: 'kinora', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  const statuses = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`);
      const [data] = await once(socket, 'data');
      socket.pause();
      return String(data).slice(9, 12);
    }),
  );
  return Object.fromEntries(
    [...Map.groupBy(statuses, (status) => status)].map(([status, all]) => [status, all.length]),
  );
}

/** Returns the status and the number of bytes. */
async function download(url: string, init: { method?: string; headers?: Record<string, string> } = {}) {
  const response = await fetch(new URL(url, `http://127.0.0.1:${port}`), init);
  return [response.status, (await response.arrayBuffer()).byteLength];
}

describe(`${silentReaders} readers of one tenant that stop reading`, () => {
  it('hold only the downloads of their task, and the others get 429', async () => {
    const [first] = hostile.tasks;
    expect(await stall(silentReaders, first.videoUrl)).toEqual({ 200: 10, 429: silentReaders - 10 });
    const refused = await fetch(first.videoUrl);
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('cache-control')]).toEqual([
      429,
      '5',
      'no-store',
    ]);
  });

  it('do not keep another tenant from its files', async () => {
    const [first] = honest.tasks;
    expect(await download(first.videoUrl)).toEqual([200, smallVideo.length]);
    expect(await download(first.videoUrl, { method: 'HEAD' })).toEqual([200, 0]);
    expect(await download(first.path, { headers: honest.headers })).toEqual([200, smallVideo.length]);
  });

  it('do not keep the owner of a signed URL that leaked from downloading with a key', async () => {
    const [first, second, third] = hostile.tasks;
    expect(await stall(20, second.videoUrl)).toEqual({ 200: 10, 429: 10 });
    expect((await download(third.videoUrl))[0]).toBe(429);
    expect(await download(first.path, { headers: hostile.headers })).toEqual([200, largeVideo.length]);
    expect(await download(honest.tasks[0].videoUrl)).toEqual([200, smallVideo.length]);
  });

  it('make room as soon as they leave', async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    const { videoUrl } = hostile.tasks[0];
    const downloaded = await eventually('a download finds room', async () => {
      const [status, sizeBytes] = await download(videoUrl);
      return status === 200 && sizeBytes;
    });
    expect(downloaded).toBe(largeVideo.length);
  });
});

/** Sends the beginning of a request and nothing more. Resolves with what came back until the server closed. */
async function sendBeginning(beginning: string, to = port): Promise<string> {
  const socket = connect(to, '127.0.0.1');
  sockets.push(socket);
  socket.write(beginning);
  return (await socket.toArray()).join('');
}

/** Moves the clock of the server's look at the pace of its callers until it has closed a connection for this reason. */
async function untilClosed(reason: 'slow_reader' | 'slow_sender'): Promise<void> {
  await eventually(`a ${reason} is disconnected`, async () => {
    vi.advanceTimersByTime(1_000);
    const metrics = await (await fetch(`http://127.0.0.1:${port + 1}/metrics`)).text();
    return metrics.includes(`kinora_http_connections_closed_total{reason="${reason}"} 1`);
  });
}

describe('a connection that holds up the server', () => {
  it('is closed if the head of a request never ends, sooner than Node would, and without a response if it was not used', async () => {
    const head = 'GET /v1/videos HTTP/1.1\r\nHost: kinora\r\n';
    await using plain = await listen(createServer());
    let hasNodeClosed = false;
    void sendBeginning(head, plain.port)
      .catch(() => undefined)
      .finally(() => (hasNodeClosed = true));
    const [halfSent, unused] = await Promise.all([sendBeginning(`${head}X-Slow: `), sendBeginning('')]);
    expect(halfSent).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s);
    expect(unused).toBe('');
    expect(hasNodeClosed).toBe(false);
  });

  it('is closed if a body falls silent, or if a response is not taken', async () => {
    const { path } = hostile.tasks[0];
    const { authorization } = hostile.headers;
    const [response, silentBody] = await Promise.all([
      fetch(new URL(path, `http://127.0.0.1:${port}`), { headers: hostile.headers }),
      sendBeginning(
        `POST /v1/videos/text-to-video HTTP/1.1\r\nHost: kinora\r\nAuthorization: ${authorization}\r\n` +
          'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"prompt":',
      ),
      untilClosed('slow_sender'),
    ]);
    expect(silentBody).toMatch(/^HTTP\/1.1 408 .*"code":"request_timeout"/s);
    await untilClosed('slow_reader');
    await expect(response.arrayBuffer()).rejects.toThrow('terminated');
  });

  it('makes room for another one if there are too many', async () => {
    const idle = Array.from({ length: connectionLimit + 50 }, () => connect(port, '127.0.0.1').resume());
    sockets.push(...idle);
    await eventually('the oldest are closed', () => idle.slice(0, 40).every(({ closed }) => closed));
    expect(await download(honest.tasks[0].videoUrl)).toEqual([200, smallVideo.length]);
    expect(idle.slice(-40).some(({ closed }) => closed)).toBe(false);
  });
});
