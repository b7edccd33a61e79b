import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBox } from '@kinora/boxes/box';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Project } from '../../db/projects.ts';
import { unusedLimits } from '../../domain/caller.fixture.ts';
import { plainRequest } from '../../domain/task.fixture.ts';
import { AppError } from '../../errors.ts';
import { createImages, type Images } from '../../media/images.ts';
import { createGuardedFetcher, type GuardedFetcher } from '../../outbound/guarded-fetch.ts';
import { createTestStorage, type TestStorage } from '../../storage/storage.fixture.ts';
import { createImageIntakes } from '../files/image-intakes.ts';
import { callerOf, createWorld, type World } from '../operations.fixture.ts';
import { createTask } from './create-task.ts';

let world: World;
let store: TestStorage;
let images: Images;
let scratchRoot: string;
beforeAll(async () => {
  scratchRoot = await mkdtemp(join(tmpdir(), 'hostile-images-test-'));
  [world, store] = await Promise.all([createWorld(), createTestStorage()]);
  images = createImages({ box: await createBox({}), scratchRoot, poolSize: 1 });
});
afterAll(async () => {
  await Promise.all([world?.close(), store?.drop(), images?.close()]);
  await rm(scratchRoot, { recursive: true, force: true });
});

/** Starts a server for images and an API process of its own, as far as images go. */
async function openIntake(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  // A TCP server's address is never the string of a pipe.
  const { port } = server.address() as AddressInfo;
  const fetcher: GuardedFetcher = createGuardedFetcher(
    { allowHttp: true, allowedPorts: [port], allowedNetworks: ['127.0.0.1/32'], deniedNetworks: [], publicHost: null },
    { perAddress: { fetches: 8, waitMilliseconds: 60_000 } },
  );
  const imageIntakes = createImageIntakes(world);
  const waitingRoom = { refuseWhenFull: async () => undefined };
  const parts = {
    ...world,
    storage: store.storage,
    images,
    fetcher,
    imageIntakes,
    waitingRoom,
    presentCreated: () => '',
  };
  return {
    /** Creates a task from an image of the server. Returns its id, or the error that refused it. */
    create: (project: Project, path: string) =>
      createTask(parts, {
        caller: {
          ...callerOf(project),
          scopes: [],
          expiresAt: null,
          isSuspended: false,
          limits: { ...unusedLimits, createsPerMinute: project.createsPerMinute },
        },
        type: 'image_to_video',
        request: { ...plainRequest, model: null, imageUrl: `http://127.0.0.1:${port}/${path}`, imageFit: 'crop' },
        warnings: [],
        idempotency: null,
      }).then(
        ({ taskId }) => taskId,
        (error: unknown) => {
          if (error instanceof AppError) return error;
          throw error;
        },
      ),
    endFetches: () => fetcher.close(),
    async [Symbol.asyncDispose]() {
      await fetcher.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it('a thousand creates at once with stalling images hold four fetches, and another project creates meanwhile', async () => {
  const png = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#c83214' } })
    .png()
    .toBuffer();
  const stalled = new Set<ServerResponse>();
  let most = 0;
  await using intake = await openIntake((request, response) => {
    if (request.url === '/good') return void response.end(png);
    stalled.add(response);
    most = Math.max(most, stalled.size);
    response.on('close', () => stalled.delete(response));
    response.writeHead(200, { 'content-length': 20_000_000 });
    response.write(Buffer.alloc(1024 * 1024));
  });
  const [hostile, honest] = [await world.newProject(), await world.newProject()];
  const attack = Promise.all(Array.from({ length: 1_000 }, () => intake.create(hostile, 'stalling')));
  await expect.poll(() => stalled.size).toBe(4);
  for (let count = 0; count < 3; count += 1) expect(await intake.create(honest, 'good')).toMatch(/^task_/);

  await intake.endFetches();
  const refused = (await attack).filter((outcome) => outcome instanceof AppError);
  expect(most).toBe(4);
  expect(refused).toHaveLength(1_000);
  const tooMany = refused.filter(({ code }) => code === 'rate_limited');
  // Four were under way and 64 waited; all others were told at once to come back later.
  expect(tooMany.length).toBeGreaterThanOrEqual(1_000 - 68);
  for (const { retryAfterSeconds, message } of tooMany) {
    expect(retryAfterSeconds).toBe(5);
    expect(message).toMatch(/^The project already has 4 images being fetched or decoded/);
  }
});

it('creates whose images fail draw on the creation limit of their project and mode, before the image is fetched', async () => {
  let fetched = 0;
  await using intake = await openIntake((_request, response) => {
    fetched += 1;
    response.writeHead(404).end();
  });
  const project = await world.newProject({ createsPerMinute: 6 });
  const codes = [];
  for (let count = 0; count < 20; count += 1) {
    const outcome = await intake.create(project, 'missing');
    codes.push(outcome instanceof AppError ? outcome.code : outcome);
  }
  // The burst of tasks, and a minute's worth of creates.
  expect(codes).toEqual([
    ...Array.from({ length: 16 }, () => 'image_unreachable'),
    ...Array.from({ length: 4 }, () => 'rate_limited'),
  ]);
  expect(fetched).toBe(16);
  expect(await intake.create(project, 'missing')).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
  await world.moveClock(10);
  expect(await intake.create(project, 'missing')).toMatchObject({ code: 'image_unreachable' });
});
