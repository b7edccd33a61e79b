import { setTimeout as sleep } from 'node:timers/promises';
import { startImageServer } from '@kinora/stack/harness/image-server';
import { imageBytes } from '@kinora/stack/harness/sample-image';

export interface SlowImageServer {
  url(key: string): string;
  /** How many images are being fetched. */
  open(): number;
  /** From now on images are held back, each for a few seconds at most: whoever fetches one would give up after ten. */
  hold(): void;
  /** Lets go of what is held back now, and with `isOver` of all that follows. */
  letGo(isOver: boolean): void;
  close: () => Promise<void>;
}

const longestHoldMilliseconds = 5_000;

/** Serves an image under every address, slowly, so that whoever fetches it can be killed meanwhile. */
export async function startSlowImageServer(port: number): Promise<SlowImageServer> {
  const image = imageBytes(1);
  const held = new Set<() => void>();
  let isHolding = false;
  let open = 0;
  const respondSlowly = async (): Promise<void> => {
    await sleep(150 + Math.random() * 450);
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
