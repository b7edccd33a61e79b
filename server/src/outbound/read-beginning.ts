import type { Readable } from 'node:stream';

/** A body that is only looked at for the log is not waited for. */
const patienceMilliseconds = 2_000;

/** The first bytes of a body as they were sent, as many as come soon; never fails, because the status has been given. */
export async function readBeginning(body: Readable, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const timer = setTimeout(() => body.destroy(), patienceMilliseconds);
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      // Copied: a single byte may keep the whole buffer it came in alive.
      chunks.push(Uint8Array.from(chunk.subarray(0, maxBytes - length)));
      length += chunk.length;
      if (length >= maxBytes) break;
    }
  } catch {
    // Broken off, by them or by the clock: what came, came.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}
