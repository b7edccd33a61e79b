import { setTimeout as sleep } from 'node:timers/promises';
import { startImageServer } from '@kinora/stack/harness/image-server';
import { imageBytes } from '@kinora/stack/harness/sample-image';
import { randomFor } from '@kinora/stack/harness/seeded-random';

export interface SlowImageServer {
  url(key: string): string;
  /** Returns how many images are being fetched. */
  open(): number;
  /** Starts to hold images back, each for at most 5 s, because the API gives up on a fetch after 10 s. */
  hold(): void;
  /** Releases the images that are held back now; with `isOver`, stops holding images back. */
  letGo(isOver: boolean): void;
  close: () => Promise<void>;
}

const longestHoldMilliseconds = 5_000;

/** Serves an image at every path, slowly, so that the process that fetches it can be killed. */
export async function startSlowImageServer(port: number): Promise<SlowImageServer> {
  const image = imageBytes(1);
  const random = randomFor('idempotency/image server');
  const held = new Set<() => void>();
  let isHolding = false;
  let open = 0;
  const respondSlowly = async (): Promise<void> => {
    await sleep(random.between(150, 600));
    // oxlint-disable-next-line kinora/no-time-judgement -- how this server behaves; nothing is judged by it
    if (isHolding) await Promise.race([new Promise<void>((letGo) => held.add(letGo)), sleep(longestHoldMilliseconds)]);
  };
  const server = await startImageServer(port, '127.0.0.1', (response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    void respondSlowly().then(() => response.writeHead(200, { 'content-type': 'image/png' }).end(image));
  });
  return {
    url: (key) => server.url(`/${encodeURIComponent(key)}`),
    open: () => open,
    hold: () => {
      isHolding = true;
    },
    letGo: (isOver) => {
      isHolding &&= !isOver;
      for (const letGo of held) letGo();
      held.clear();
    },
    close: server.close,
  };
}
