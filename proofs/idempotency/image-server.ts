import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleImage } from '@kinora/stack/harness/sample-image';

export interface SlowImageServer {
  url(key: string): string;
  /** How many images are being fetched. */
  open(): number;
  /** From now on images are held back, each for a few seconds at most: whoever fetches one would give up after ten. */
  hold(): void;
  /** Lets go of what is held back now, and with `isOver` of all that follows. */
  letGo(isOver: boolean): void;
  close(): Promise<void>;
}

const longestHoldMilliseconds = 5_000;

/** Serves an image under every address, slowly, so that whoever fetches it can be killed meanwhile. */
export async function startSlowImageServer(port: number): Promise<SlowImageServer> {
  const image = Buffer.from(sampleImage(1).split(',')[1] ?? '', 'base64');
  const held = new Set<() => void>();
  let isHolding = false;
  let open = 0;
  const answerSlowly = async (): Promise<void> => {
    await sleep(150 + Math.random() * 450);
    if (isHolding) await Promise.race([new Promise<void>((letGo) => held.add(letGo)), sleep(longestHoldMilliseconds)]);
  };
  const server = createServer((_request, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    void answerSlowly().then(() => response.writeHead(200, { 'content-type': 'image/png' }).end(image));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: (key) => `http://127.0.0.1:${port}/${encodeURIComponent(key)}`,
    open: () => open,
    hold: () => {
      isHolding = true;
    },
    letGo: (isOver) => {
      isHolding &&= !isOver;
      for (const letGo of held) letGo();
      held.clear();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
