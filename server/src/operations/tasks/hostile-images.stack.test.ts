import type { RequestListener, ServerResponse } from 'node:http';
import { createBox } from '@kinora/boxes/box';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { startLoopbackServer } from '@kinora/stack/harness/loopback-server';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Project } from '../../db/access/project-table.ts';
import { unusedLimits } from '../../domain/caller.fixture.ts';
import { limits } from '../../domain/limits.ts';
import { plainRequest } from '../../domain/task.fixture.ts';
import { AppError } from '../../errors.ts';
import { createImages, type Images } from '../../media/images.ts';
import { createGuardedFetcher, type GuardedFetcher } from '../../outbound/guarded-fetch.ts';
import { loopbackPolicy } from '../../outbound/outbound-policy.fixture.ts';
import { useTestStorage } from '../../storage/storage.fixture.ts';
import { countImageCreates } from '../files/count-image-creates.ts';
import { callerOf, useWorld } from '../operations.fixture.ts';
import { createProjectLimit } from '../queue/project-limit.ts';
import { createTask } from './create-task.ts';

const world = useWorld();
const store = useTestStorage();
let images: Images;
const scratchRoot = temporaryFolder('hostile-images');
beforeAll(async () => {
  images = createImages({ box: await createBox({}), scratchRoot, poolSize: 1 });
});
afterAll(() => images?.close());

/** Starts a server for images and an API process of its own, as far as images go. */
async function openIntake(listener: RequestListener) {
  const server = await startLoopbackServer(listener);
  const fetcher: GuardedFetcher = createGuardedFetcher(loopbackPolicy(server.port), {
    perAddress: { perHolder: 8, waitMilliseconds: 60_000 },
  });
  const imageLimit = createProjectLimit(world, limits.images);
  const waitingLimit = { refuseBeyond: async () => undefined };
  const parts = {
    ...world,
    storage: store.storage,
    images,
    fetcher,
    countImageCreate: countImageCreates(world),
    imageLimit,
    waitingLimit,
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
        request: { ...plainRequest, model: null, imageUrl: `${server.url}/${path}`, imageFit: 'crop' },
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
      await server.close();
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
    expect(message).toMatch(/^Too many images to fetch, decode and store at once in this project \(at most 4 running/);
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
