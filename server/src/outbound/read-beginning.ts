import type { Readable } from 'node:stream';

/** 2 s: a body that only serves the record of a try is not worth a longer wait. */
const patienceMilliseconds = 2_000;

/** Returns the first bytes of a body as sent, as many as arrive in time. Never fails, because the status is known. */
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
    // The body was ended by the other side or by the timer: the bytes that have arrived are returned.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}
