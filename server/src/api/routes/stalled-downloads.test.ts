import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../outbound/loopback-server.fixture.ts';
import { createS3Storage } from '../../storage/s3-storage.ts';
import { app, links, parts, publicUrl, task } from '../app.fixture.ts';
import { createApp } from '../app.ts';

const readers = 50;
/** Larger than what the API, and the kernel on both sides of a Unix socket, buffer for a reader that does not read. */
const video = Buffer.alloc(3_000_000, 1);
const boundMilliseconds = 2_000;

/** Requests a URL and stops reading after the first bytes of the response. */
async function readBeginning(socketPath: string, path: string): Promise<Socket> {
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(socket, 'data');
  return socket.pause();
}

describe(`${readers} readers of one signed URL that stop reading`, () => {
  const seen = { before: '', during: '', afterwards: '' };
  beforeAll(async () => {
    await using store = await listen(
      createServer((request, response) => {
        response.setHeader('content-length', video.length);
        response.end(request.method === 'HEAD' ? undefined : video);
      }),
    );
    const storage = createS3Storage({
      endpoint: `http://127.0.0.1:${store.port}`,
      region: 'us-east-1',
      bucket: 'kinora',
      accessKeyId: 'kinora',
      secretAccessKey: 'secret',
      forcePathStyle: true,
      publicEndpoint: null,
    });
    const api = createApp({
      ...parts,
      readFile: async () => ({
        objectKey: 'video.mp4',
        sizeBytes: video.length,
        contentType: 'video/mp4',
        open: async (range) => {
          const body = await storage.read('video.mp4', range);
          if (!body) throw new Error('the store has no video');
          return body;
        },
      }),
    });
    const folder = await mkdtemp(join(tmpdir(), 'kinora-downloads-'));
    // The kernel buffers up to 4 MB for a stalled reader over TCP: fifty of them would take seconds to stall.
    const socketPath = join(folder, 'api');
    await api.listen({ path: socketPath });
    const readHead = async () => ((await storage.head('another.mp4'))?.sizeBytes === video.length ? 'found' : 'wrong');
    const { files } = await links(task);
    const path = (files?.videoUrl ?? '').slice(publicUrl.length);

    seen.before = await readHead();
    const open = await Promise.all(Array.from({ length: readers }, () => readBeginning(socketPath, path)));
    const waiting = new AbortController();
    const reading = readHead();
    const late = pause(boundMilliseconds, 'late', { signal: waiting.signal }).catch(() => 'stopped');
    seen.during = await Promise.race([reading, late]);
    waiting.abort();
    for (const socket of open) socket.destroy();
    seen.afterwards = await reading;
    await Promise.all([api.close(), app.close()]);
    storage.close();
    await rm(folder, { recursive: true });
  }, 30_000);

  test('the store can be used before stalled downloads begin and after they have ended', () => {
    expect(seen).toMatchObject({ before: 'found', afterwards: 'found' });
  });

  test(`${readers} stalled downloads do not keep another use of the store waiting for two seconds`, () => {
    expect(seen.during).toBe('found');
  });
});
