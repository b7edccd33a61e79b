import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Box, BoxChild } from '@kinora/boxes/box';
import type { BoxLimits } from '@kinora/boxes/box-limits';
import {
  encodeMessage,
  type ImageMessage,
  type ImageRequest,
  messageReader,
  type ReadMessage,
} from './image-messages.ts';
import { readPngSize } from './image-rules.ts';
import { withScratchFolder } from './scratch.ts';

export interface ImagePool {
  /** Sends a request to a child, waiting for a free one; throws `ImageChildLost` if the image was too much for it. */
  request(request: ImageRequest, payload: Uint8Array): Promise<ImageMessage>;
  close(): Promise<void>;
}

/** The child crashed on the image, violated the format or took too long. It has been replaced. */
export class ImageChildLost extends Error {}

/** The maximum number of requests already waits, so another one would wait in vain. */
export class ImagePoolFull extends Error {}

interface Worker {
  child: BoxChild;
  readMessage: ReadMessage;
  isAlive: boolean;
  served: number;
}

const childPath = fileURLToPath(new URL('./image-child.ts', import.meta.url));
/** 4.5 s: the sender of an image gets a response within 5 s, even if the image was too much for the child. */
const defaultRequestMilliseconds = 4_500;
const startMilliseconds = 20_000;
/**
 * A child is replaced after this many images: that bounds the leaks of a decoder and the life of a compromised child.
 */
const imagesPerChild = 100;
/**
 * After an image this large a child is replaced: memory that the allocator kept could push the next one over the limit.
 */
const largeBytes = 64 * 1024 * 1024;
const largePixels = 16_000_000;
const limits: BoxLimits = {
  // Mapped memory. The largest lossless WebP maps 650 MB and touches 360 MB of them, and memory that the allocator kept
  // from earlier images counts too: with 704 MB a good image was refused once. image-rules.ts keeps touched memory
  // below 512 MB.
  memoryBytes: 832 * 1024 * 1024,
  cpuSeconds: imagesPerChild * 6,
  fileSizeBytes: 256 * 1024 * 1024, // libvips puts a decoded image above 100 MB into a temporary file
  timeoutMilliseconds: 60 * 60 * 1000,
};

/** A few long-lived boxed children, started when first needed; each decodes one image at a time. */
export function createImagePool(parts: {
  box: Box;
  scratchRoot: string;
  poolSize: number;
  requestMilliseconds?: number;
}): ImagePool {
  const { box, scratchRoot, poolSize, requestMilliseconds = defaultRequestMilliseconds } = parts;
  const maxWaiting = poolSize * 32;
  const idle: Worker[] = [];
  const waiting: { resolve: () => void; reject: (reason: Error) => void }[] = [];
  const workers = new Set<Worker>();
  const lives = new Set<Promise<void>>();
  let taken = 0;
  let isClosed = false;

  /** Resolves once the child is ready; its folder is removed when it has ended. */
  async function start(): Promise<Worker> {
    const { promise: started, resolve, reject } = Promise.withResolvers<Worker>();
    const life = withScratchFolder(scratchRoot, async (folder) => {
      const child = box.spawn({ program: 'node', arguments: ['--expose-gc', childPath], limits, folder });
      const worker = { child, readMessage: messageReader(child.stdout), isAlive: true, served: 0 };
      workers.add(worker);
      try {
        await nextMessage(worker, startMilliseconds);
        if (isClosed) throw new Error('the image pool is closed');
        resolve(worker);
      } catch {
        child.kill();
      }
      const { stderrTail } = await child.result;
      worker.isAlive = false;
      workers.delete(worker);
      reject(new Error('the image child did not start', { cause: stderrTail })); // no effect once it has started
    });
    lives.add(life);
    void life.catch(reject).finally(() => lives.delete(life));
    return await started;
  }

  async function takeSlot(): Promise<void> {
    if (isClosed) throw new Error('the image pool is closed');
    if (taken < poolSize) {
      taken += 1;
      return;
    }
    if (waiting.length >= maxWaiting) throw new ImagePoolFull('too many images wait to be decoded');
    // `giveSlotBack` passes the slot on directly, so `taken` stays as it is.
    await new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
  }

  function giveSlotBack(): void {
    const next = waiting.shift();
    if (next) next.resolve();
    else taken -= 1;
  }

  function takeIdle(): Worker | undefined {
    let worker = idle.pop();
    while (worker && !worker.isAlive) worker = idle.pop();
    return worker;
  }

  return {
    async request(request, payload) {
      await takeSlot();
      try {
        const requestedAt = performance.now();
        const worker = takeIdle() ?? (await start());
        try {
          for (const chunk of encodeMessage(request, payload)) worker.child.stdin.write(chunk);
          // A child that had to be started first has less time left, but never none.
          const leftMilliseconds = Math.max(
            requestMilliseconds / 3,
            requestMilliseconds - (performance.now() - requestedAt),
          );
          const message = await nextMessage(worker, leftMilliseconds);
          worker.served += 1;
          const handledBytes = payload.byteLength + message.payload.byteLength;
          const { width, height } = readPngSize(message.payload) ?? { width: 0, height: 0 };
          const wasLarge = handledBytes > largeBytes || width * height > largePixels;
          const isSpent = worker.served >= imagesPerChild || wasLarge;
          if (isSpent || isClosed) worker.child.kill();
          else idle.push(worker);
          return message;
        } catch (error) {
          worker.child.kill();
          throw new ImageChildLost('the image child was lost', { cause: error });
        }
      } finally {
        giveSlotBack();
      }
    },

    async close() {
      isClosed = true;
      for (const { reject } of waiting.splice(0)) reject(new Error('the image pool is closed'));
      for (const worker of workers) worker.child.kill();
      await Promise.allSettled(lives);
    },
  };
}

async function nextMessage(worker: Worker, timeoutMilliseconds: number): Promise<ImageMessage> {
  const patience = new AbortController();
  const lateness = delay(timeoutMilliseconds, 'late' as const, { signal: patience.signal }).catch(
    () => 'late' as const,
  );
  try {
    const next = await Promise.race([worker.readMessage(), lateness]);
    if (next === 'late') throw new Error('the image child took too long');
    if (!next) throw new Error('the image child ended');
    return next;
  } finally {
    patience.abort();
  }
}
