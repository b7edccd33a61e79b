import { unlessBroken } from '@kinora/stack/harness/api-client';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { type Random, randomFor } from '@kinora/stack/harness/seeded-random';
import { northModel } from '../north-pool.ts';
import { cancelTask } from './cancel.ts';
import { cancelledShare } from './crash-size.ts';
import { pause, type World } from './crash-world.ts';
import type { Post } from './history.ts';

const patienceSeconds = 180;

/** Posts until a task is accepted, as a persistent client does; then cancels a share of the tasks. */
export async function runClient(world: World, number: number): Promise<void> {
  const random = randomFor(`crash/client ${number}`);
  const taskId = await create(world, number, random);
  if (taskId === null || random.between(0, 1) >= cancelledShare) return;
  // The cancel command itself takes a second or two, and a small task hardly longer.
  await pause(world, random.between(0, 2.5));
  await cancelTask(world, taskId);
}

async function create(world: World, number: number, random: Random): Promise<string | null> {
  const { api, history } = world;
  const clientId = `client-${number}`;
  const hasImage = number % 12 === 5;
  const path = hasImage ? '/v1/videos/image-to-video' : '/v1/videos/text-to-video';
  const fields = {
    model: northModel,
    prompt: `A hill at dusk, number ${number}`,
    ...shapeOf(number, world),
    ...(hasImage ? { image_url: sampleImage(number) } : {}),
    metadata: { client_id: clientId },
  };
  const deadline = Date.now() + patienceSeconds * 1000;
  for (;;) {
    // Recorded before it is sent, because a task may exist even if its response was lost.
    const post: Post = { clientId, taskId: null };
    history.posts.push(post);
    const response = await unlessBroken(api.post(path, fields));
    if (response?.status === 200) {
      post.taskId = response.body.task_id;
      return post.taskId;
    }
    // After an outage many clients retry at once, so a 429 is expected.
    if (response && response.status !== 503 && response.status !== 429) {
      history.unexpectedResponses.push({ request: `POST ${path}`, status: response.status, body: response.text });
      return null;
    }
    if (Date.now() > deadline) throw new Error(`the task of ${clientId} was not accepted within ${patienceSeconds} s`);
    await pause(world, random.between(0.3, 1.5));
  }
}

interface VideoShape {
  resolution: string;
  aspect_ratio: string;
  duration: number;
}

/** Returns a small shape for most tasks; a few render long enough to be killed in the middle. */
function shapeOf(number: number, { areTakeoversMissing, size: { longEvery } }: World): VideoShape {
  const long = { resolution: '480p', aspect_ratio: '1:1', duration: 4 };
  if (areTakeoversMissing) return long;
  if (number % (5 * longEvery) === 7) return { resolution: '480p', aspect_ratio: '16:9', duration: 8 };
  if (number % longEvery === 1) return long;
  return { resolution: '480p', aspect_ratio: '1:1', duration: 1 };
}
