import type { Readable } from 'node:stream';
import type { Clock } from '../../domain/clock.ts';

/** Thrown if a body is larger than allowed. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

interface Limits {
  maxBytes: number;
  /** How long the reader waits for the sender in total, even if the sender sends nothing. */
  slackMilliseconds: number;
  /** The rate that the sender must keep up beyond that. Time that the reader spends on its own work does not count. */
  slowestBytesPerSecond: number;
}

/**
 * Yields the chunks of a body from an untrusted sender: one that stops or trickles must not hold resources that others
 * wait for. The body is not destroyed if reading stops early, because the response goes over the same connection.
 */
export async function* boundedBody(clock: Clock, body: Readable, limits: Limits): AsyncGenerator<Buffer> {
  const chunks = body.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let sizeBytes = 0;
  let waitedMilliseconds = 0;
  for (;;) {
    const patience = limits.slackMilliseconds + (1000 * sizeBytes) / limits.slowestBytesPerSecond;
    const before = clock.elapsed();
    const next = await within(clock, chunks.next(), patience - waitedMilliseconds);
    waitedMilliseconds += clock.elapsed() - before;
    if (next.done) return;
    sizeBytes += next.value.length;
    if (sizeBytes > limits.maxBytes) throw new BodyTooLarge();
    yield next.value;
  }
}

async function within<T>(clock: Clock, work: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const stop = clock.after(milliseconds, () => late.reject(new Error('the sender is too slow')));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    stop();
    work.catch(() => undefined); // if it lost the race, its later failure must not be an unhandled rejection
  }
}
