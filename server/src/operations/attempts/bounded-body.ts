import type { Readable } from 'node:stream';

/** The body is larger than it may be. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

interface Limits {
  maxBytes: number;
  /** How long the sender may keep us waiting in all, however little it sends. */
  slackMilliseconds: number;
  /** What it must send beyond that. Time that we take ourselves does not count. */
  slowestBytesPerSecond: number;
}

/**
 * The chunks of a body whose sender is not trusted: one that stops or trickles must not hold what others wait for. The body is not
 * destroyed where reading stops early, because the answer goes over the same connection.
 */
export async function* boundedBody(body: Readable, limits: Limits): AsyncGenerator<Buffer> {
  const chunks = body.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let sizeBytes = 0;
  let waitedMilliseconds = 0;
  for (;;) {
    const patience = limits.slackMilliseconds + (1000 * sizeBytes) / limits.slowestBytesPerSecond;
    const before = performance.now();
    const next = await within(chunks.next(), patience - waitedMilliseconds);
    waitedMilliseconds += performance.now() - before;
    if (next.done) return;
    sizeBytes += next.value.length;
    if (sizeBytes > limits.maxBytes) throw new BodyTooLarge();
    yield next.value;
  }
}

async function within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('the sender is too slow')), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined); // when it loses the race, the connection that ends then is nobody's concern
  }
}
