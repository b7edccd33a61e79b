import { pause } from '@kinora/stack/harness/pause';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { randomFor } from '@kinora/stack/harness/seeded-random';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import type { ApiFleet } from './api-fleet.ts';
import type { Clients } from './clients.ts';
import type { CreateResponse } from './idempotency-evidence.ts';
import { type IdempotencySize, requestsPerKey } from './idempotency-size.ts';
import type { SlowImageServer } from './slow-image-server.ts';

/** Everything that the load and the kills share. */
export interface World {
  fleet: ApiFleet;
  clients: Clients;
  responses: CreateResponse[];
  images: SlowImageServer;
  size: IdempotencySize;
  report: (line: string) => void;
  signal: AbortSignal;
}

type MakeRequest = (key: string, index: number, images: SlowImageServer) => { key: string; path: string; body: string };

/** Enough for all requests of one key and some of the next; above this the next key waits. */
const mostInFlight = 150;
/** With this many fetches at once, a kill is likely to hit one. */
const worthwhileFetches = 4;
const patienceForFetchesMilliseconds = 5_000;
/** Longer than a client pauses between retries. */
const quietMilliseconds = 6_000;

/** Runs load and kills together. Keys with images come first: if their process dies, they need a minute more. */
export async function chaos(world: World): Promise<string[]> {
  const { size, report } = world;
  const imageKeys = Array.from({ length: size.keys / 2 }, (_, index) => `image-${index}`);
  const textKeys = Array.from({ length: size.keys / 2 }, (_, index) => `text-${index}`);
  const doneKeys = new Set<string>();

  report(`${imageKeys.length} keys with an image, ${requestsPerKey} requests each`);
  const withImages = sendKeys(world, imageKeys, imageRequest, doneKeys);
  withImages.catch(() => undefined); // awaited below
  await killWhileFetching(world, withImages);
  await settle(world, imageKeys.length * requestsPerKey);
  report(`${doneKeys.size} of them are done; the others wait until the reservation of a dead process expires`);

  report(`${textKeys.length} keys without an image, ${requestsPerKey} requests each`);
  const withoutImages = sendKeys(world, textKeys, textRequest, doneKeys);
  await Promise.all([withoutImages, killAtRandom(world, withoutImages)]);
  report(`${doneKeys.size} of ${size.keys} keys are done; the kills are over`);
  await withImages;
  report('all keys are done');
  return [...imageKeys, ...textKeys];
}

async function sendKeys(world: World, keys: string[], make: MakeRequest, doneKeys: Set<string>): Promise<void> {
  const { clients, images, signal } = world;
  const sent: Promise<void>[] = [];
  for (const [index, key] of keys.entries()) {
    while (clients.inFlight() >= mostInFlight) await pause(10, signal);
    const sending = clients.sendAtOnce(make(key, index, images), requestsPerKey).then(() => void doneKeys.add(key));
    sending.catch(() => undefined); // Awaited below, once all keys are sent.
    sent.push(sending);
    // The requests of this key must leave before the loop checks how many are in flight.
    await pause(5, signal);
  }
  await Promise.all(sent);
}

/** Kills while several images are being fetched, so that processes die and leave their reservations behind. */
async function killWhileFetching(world: World, lasting: Promise<unknown>): Promise<void> {
  const { fleet, images, size, signal } = world;
  const isOver = watch(lasting);
  const random = randomFor('idempotency/kills while fetching');
  images.hold();
  try {
    for (let kills = 0; kills < size.imageKills && !isOver(); ) {
      const since = Date.now();
      while (images.open() < worthwhileFetches && Date.now() - since < patienceForFetchesMilliseconds)
        await pause(10, signal);
      if (fleet.killOne()) kills += 1;
      images.letGo(false);
      await pause(random.between(200, 1_000), signal);
    }
  } finally {
    images.letGo(true);
  }
}

async function killAtRandom({ fleet, signal }: World, lasting: Promise<unknown>): Promise<void> {
  const isOver = watch(lasting);
  const random = randomFor('idempotency/kills at random');
  while (!isOver()) {
    fleet.killOne();
    await pause(random.between(200, 1_500), signal);
  }
}

/** Returns a function that returns whether a promise has settled. */
function watch(lasting: Promise<unknown>): () => boolean {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  void lasting.then(end, end);
  return () => isOver;
}

/** Waits until no response has come for a while: the remaining requests wait until a reservation expires. */
async function settle({ responses, signal }: World, expected: number): Promise<void> {
  let [count, since] = [responses.length, Date.now()];
  while (responses.length < expected && Date.now() - since < quietMilliseconds) {
    await pause(100, signal);
    if (responses.length > count) [count, since] = [responses.length, Date.now()];
  }
}

const textRequest: MakeRequest = (key) => ({
  key,
  path: '/v1/videos/text-to-video',
  body: JSON.stringify({ prompt: `A hill at dusk, ${key}`, ...smallestVideo, metadata: { key } }),
});

/** Every fifth request has its image inline. */
const imageRequest: MakeRequest = (key, index, images) => ({
  key,
  path: '/v1/videos/image-to-video',
  body: JSON.stringify({
    prompt: `A hill at dusk, ${key}`,
    ...smallestVideo,
    image_url: index % 5 === 4 ? sampleImage(index) : images.url(key),
    metadata: { key },
  }),
});
