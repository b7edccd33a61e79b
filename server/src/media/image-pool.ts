import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Box, BoxChild } from '@kinora/boxes/box';
import type { BoxLimits } from '@kinora/boxes/box-limits';
import { packagePaths } from '@kinora/boxes/package-paths';
import { createConcurrencyLimit } from '../domain/concurrency-limit.ts';
import { mediaLimits } from '../domain/limits.ts';
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
  /** Sends a request to a child, in turns. Throws NoPermit if none is free, `ImageChildLost` if it was too much. */
  request(projectId: string, request: ImageRequest, payload: Uint8Array): Promise<ImageMessage>;
  close(): Promise<void>;
}

/** The child crashed on the image, violated the format or took too long. It has been replaced. */
export class ImageChildLost extends Error {}

interface Worker {
  child: BoxChild;
  readMessage: ReadMessage;
  /** The only project whose images it decodes: a compromised child sees, and can change, every image that it gets. */
  projectId: string | null;
  served: number;
  /** Resolves once the child has ended and its folder is removed. */
  ended: Promise<void>;
}

const childPath = fileURLToPath(new URL('./image-child.ts', import.meta.url));
const readable = packagePaths(childPath, 'sharp');
/** 4.5 s: the sender of an image gets a response within 5 s, even if the image was too much for the child. */
export const defaultRequestMilliseconds = 4_500;
const startMilliseconds = 20_000;
/** A child is replaced after this many: that bounds the leaks of a decoder and the life of a compromised child. */
const imagesPerChild = 100;
/** A child is replaced after one this large: memory that the allocator kept could push the next over the limit. */
const largeBytes = 64 * 1024 * 1024;
const largePixels = 16_000_000;
const limits: BoxLimits = {
  // The largest lossless WebP maps 650 MB, and memory kept from earlier images counts too: with 704 MB a good image was
  // refused. image-rules.ts keeps touched memory below 512 MB.
  memoryBytes: 832 * 1024 * 1024,
  cpuSeconds: imagesPerChild * 6,
  fileSizeBytes: 256 * 1024 * 1024, // libvips puts a decoded image above 100 MB into a temporary file
  timeoutMilliseconds: 60 * 60 * 1000,
};

/**
 * A few long-lived boxed children, each for one project's images, one at a time; a project gets up to `poolSize`. One
 * more keeps slow images of a project from blocking others. If all are others', the longest idle one is ended. A spare
 * that has seen no image hides from a project's first image how long a child takes to start.
 */
export function createImagePool(parts: {
  box: Box;
  scratchRoot: string;
  poolSize: number;
  requestMilliseconds?: number;
  waitMilliseconds?: number;
}): ImagePool {
  const { box, scratchRoot, poolSize, requestMilliseconds = defaultRequestMilliseconds } = parts;
  const { imageChildren } = mediaLimits(poolSize);
  const { waitMilliseconds = imageChildren.waitMilliseconds } = parts;
  const permits = createConcurrencyLimit(imageChildren);
  const closing = new AbortController();
  const workers = new Set<Worker>();
  const lives = new Set<Promise<void>>();
  /** Those that wait for the next image of their project; the one that has waited longest is first. */
  const idle = new Set<Worker>();
  let spare: Promise<Worker> | null = null;
  /** Permits that are held. Each has at most one child: one that decodes, that starts, or that ends to make room. */
  let held = 0;

  /** Resolves once the child is ready; its folder is removed when it has ended. */
  async function start(): Promise<Worker> {
    const { promise: started, resolve, reject } = Promise.withResolvers<Worker>();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const life = withScratchFolder(scratchRoot, async (folder) => {
      refuseClosed();
      const child = box.spawn({ program: 'node', arguments: ['--expose-gc', childPath], limits, folder, readable });
      const worker: Worker = { child, readMessage: messageReader(child.stdout), projectId: null, served: 0, ended };
      workers.add(worker);
      try {
        await nextMessage(worker, startMilliseconds);
        refuseClosed();
        resolve(worker);
      } catch {
        child.kill();
      }
      const { stderrTail } = await child.result;
      workers.delete(worker);
      idle.delete(worker);
      reject(new Error('the image child did not start', { cause: stderrTail })); // no effect once it has started
    });
    lives.add(life);
    void life.catch(reject).finally(() => {
      lives.delete(life);
      end();
    });
    return await started;
  }

  function refuseClosed(): void {
    if (closing.signal.aborted) throw new Error('the image pool is closed');
  }

  /** Returns the function that releases the permit. To be called when the child is idle again or has ended. */
  async function takePermit(projectId: string): Promise<() => void> {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(waitMilliseconds)]);
    const release = await permits.acquire(projectId, { signal }).catch((error: unknown) => {
      refuseClosed();
      throw error;
    });
    held += 1;
    return () => {
      held -= 1;
      release();
      keepSpare();
    };
  }

  /** Returns a child that has seen no image of another project. The caller holds a permit. */
  async function take(projectId: string): Promise<Worker> {
    const own = [...idle].findLast((worker) => worker.projectId === projectId);
    const [longestIdle] = idle;
    const taken = own ?? (held + idle.size > imageChildren.total ? longestIdle : undefined);
    if (taken) idle.delete(taken);
    if (own) return own;
    if (taken) await end(taken);
    const next = spare ?? start();
    spare = null;
    const worker = await next;
    worker.projectId = projectId;
    return worker;
  }

  async function end(worker: Worker): Promise<void> {
    worker.child.kill();
    await worker.ended;
  }

  function keepSpare(): void {
    if (spare || closing.signal.aborted) return;
    const started = start();
    spare = started;
    const forget = () => {
      if (spare === started) spare = null;
    };
    void started.then(({ ended }) => ended).then(forget, forget);
  }

  return {
    async request(projectId, request, payload) {
      const release = await takePermit(projectId);
      const requestedAt = performance.now();
      const worker = await take(projectId).catch((error: unknown) => {
        release();
        throw error;
      });
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
        if (isSpent || closing.signal.aborted || !workers.has(worker)) void end(worker).then(release);
        else {
          idle.add(worker);
          release();
        }
        return message;
      } catch (error) {
        void end(worker).then(release);
        throw new ImageChildLost('the image child was lost', { cause: error });
      }
    },

    async close() {
      closing.abort();
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
