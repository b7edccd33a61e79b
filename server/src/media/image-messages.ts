import type { ImageRefusal } from './image-rules.ts';

/** A request to the image child; the image is the message's payload. */
export type ImageRequest =
  | { kind: 'normalise' }
  | { kind: 'fit'; width: number; height: number; fit: 'crop' | 'pad' | 'stretch' };

/** The child's reply; with `done`, the PNG is the message's payload. */
export type ImageReply =
  | { kind: 'ready' }
  | { kind: 'done' }
  | { kind: 'refused'; code: ImageRefusal; size?: { width: number; height: number } };

export interface ImageMessage {
  header: unknown;
  payload: Buffer;
}

const maxHeaderBytes = 1024;
/** An uncompressed image of the largest size allowed fits with room to spare. */
const maxPayloadBytes = 160 * 1024 * 1024;

/** Encodes a message as the chunks to write: two lengths, a JSON header, the payload. */
export function encodeMessage(header: ImageRequest | ImageReply, payload: Uint8Array): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(header));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  lengths.writeUInt32BE(payload.byteLength, 4);
  return [Buffer.concat([lengths, json]), payload];
}

/** Returns the next message of a pipe, or null at its end; throws if the other side violates the format. */
export type ReadMessage = () => Promise<ImageMessage | null>;

/** Reads a pipe message by message. It is not a generator: that would hold on to the last message, up to 160 MB. */
export function messageReader(source: AsyncIterable<Buffer>): ReadMessage {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function take(sizeBytes: number): Promise<Buffer | null> {
    const taken = Buffer.allocUnsafeSlow(sizeBytes);
    let filledBytes = 0;
    while (filledBytes < sizeBytes) {
      if (rest.length === 0) {
        const next = await chunks.next();
        if (next.done) return null;
        rest = next.value;
      }
      const copiedBytes = rest.copy(taken, filledBytes);
      filledBytes += copiedBytes;
      rest = rest.subarray(copiedBytes);
    }
    return taken;
  }

  return async () => {
    const lengths = await take(8);
    if (!lengths) return null;
    const headerBytes = lengths.readUInt32BE(0);
    const payloadBytes = lengths.readUInt32BE(4);
    // The child has decoded untrusted bytes, so its messages are untrusted as well.
    if (headerBytes > maxHeaderBytes || payloadBytes > maxPayloadBytes) throw new Error('an image message is too long');
    const header = await take(headerBytes);
    const payload = await take(payloadBytes);
    return header && payload && { header: JSON.parse(header.toString('utf8')), payload };
  };
}
