import type { Readable } from 'node:stream';

/** Cuts a stream into frames of one size; what is left of a frame that never became whole is dropped. */
export async function* readFrames(stream: Readable, frameSizeBytes: number): AsyncGenerator<Buffer> {
  let frame = Buffer.allocUnsafe(frameSizeBytes);
  let filled = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    for (let taken = 0; taken < chunk.length; ) {
      const copied = chunk.copy(frame, filled, taken);
      taken += copied;
      filled += copied;
      if (filled < frameSizeBytes) continue;
      yield frame;
      // A new one each time: the encoder may not have written the last one out yet.
      frame = Buffer.allocUnsafe(frameSizeBytes);
      filled = 0;
    }
  }
}
