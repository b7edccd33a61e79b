import { pause } from '@kinora/stack/harness/pause';
import { sampleImage } from '@kinora/stack/harness/sample-image';
import { smallestVideo } from '@kinora/stack/harness/smallest-video';
import type { ApiFleet } from './api-fleet.ts';
import type { Clients } from './clients.ts';
import type { Answer } from './idempotency-evidence.ts';
import type { IdempotencySize } from './idempotency-size.ts';
import type { SlowImageServer } from './slow-image-server.ts';

/** What the load and the kills are handed. */
export interface World {
  fleet: ApiFleet;
  clients: Clients;
  answers: Answer[];
  images: SlowImageServer;
  size: IdempotencySize;
  report: (line: string) => void;
  signal: AbortSignal;
}

type MakeRequest = (key: string, index: number, images: SlowImageServer) => { key: string; path: string; body: string };

/** All requests of one key and some of the next; beyond it the next key waits its turn. */
const mostInFlight = 150;
/** So many fetches at once that a kill is likely to hit one. */
const worthwhileFetches = 4;
const patienceForFetchesMilliseconds = 5_000;
/** Longer than a client pauses before it asks again. */
const quietMilliseconds = 6_000;

/** Load and kills side by side. Keys with images first: those whose owner dies need a minute, in which the others run. */
export async function chaos(world: World): Promise<string[]> {
  const { size, report } = world;
  const imageKeys = Array.from({ length: size.keys / 2 }, (_, index) => `image-${index}`);
  const textKeys = Array.from({ length: size.keys / 2 }, (_, index) => `text-${index}`);
  const answered = new Set<string>();

  report(`${imageKeys.length} keys with an image, ${size.requestsPerKey} requests each`);
  const withImages = sendKeys(world, imageKeys, imageRequest, answered);
  withImages.catch(() => undefined); // awaited below
  if (size.imageKills === 0) await withImages;
  else await killWhileFetching(world, withImages);
  await settle(world, imageKeys.length * size.requestsPerKey);
  report(`${answered.size} of them are answered, the others wait for a dead owner's reservation to lapse`);

  report(`${textKeys.length} keys without an image, ${size.requestsPerKey} requests each`);
  const withoutImages = sendKeys(world, textKeys, textRequest, answered);
  await Promise.all([withoutImages, killAtRandom(world, withoutImages)]);
  report(`${answered.size} of ${size.keys} keys are answered; nothing is killed any more`);
  await withImages;
  report('all are answered');
  return [...imageKeys, ...textKeys];
}

async function sendKeys(world: World, keys: string[], make: MakeRequest, answered: Set<string>): Promise<void> {
  const { clients, images, size, signal } = world;
  const sent: Promise<void>[] = [];
  for (const [index, key] of keys.entries()) {
    while (clients.inFlight() >= mostInFlight) await pause(10, signal);
    const sending = clients
      .sendAtOnce(make(key, index, images), size.requestsPerKey)
      .then(() => void answered.add(key));
    sending.catch(() => undefined); // thrown below, once all are under way
    sent.push(sending);
    // Lets the requests of this key leave before the next one looks whether there is room.
    await pause(5, signal);
  }
  await Promise.all(sent);
}

/** Kills while several images are being fetched, so that owners die and leave their reservations behind. */
async function killWhileFetching(world: World, lasting: Promise<unknown>): Promise<void> {
  const { fleet, images, size, signal } = world;
  const isOver = watch(lasting);
  images.hold();
  try {
    for (let kills = 0; kills < size.imageKills && !isOver(); ) {
      const since = Date.now();
      while (images.open() < worthwhileFetches && Date.now() - since < patienceForFetchesMilliseconds)
        await pause(10, signal);
      if (fleet.killOne()) kills += 1;
      images.letGo(false);
      await pause(200 + Math.random() * 800, signal);
    }
  } finally {
    images.letGo(true);
  }
}

async function killAtRandom({ fleet, signal }: World, lasting: Promise<unknown>): Promise<void> {
  const isOver = watch(lasting);
  while (!isOver()) {
    fleet.killOne();
    await pause(200 + Math.random() * 1_300, signal);
  }
}

/** Says whether something has come to its end, good or bad. */
function watch(lasting: Promise<unknown>): () => boolean {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  void lasting.then(end, end);
  return () => isOver;
}

/** Waits until no further request is answered for a while: who is left waits for a reservation to lapse. */
async function settle({ answers, signal }: World, expected: number): Promise<void> {
  let [count, since] = [answers.length, Date.now()];
  while (answers.length < expected && Date.now() - since < quietMilliseconds) {
    await pause(100, signal);
    if (answers.length > count) [count, since] = [answers.length, Date.now()];
  }
}

const textRequest: MakeRequest = (key) => ({
  key,
  path: '/v1/videos/text-to-video',
  body: JSON.stringify({ prompt: `A hill at dusk, ${key}`, ...smallestVideo, metadata: { key } }),
});

/** Every fifth brings its image along. */
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
