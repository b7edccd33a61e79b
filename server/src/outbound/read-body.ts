import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OutboundRefused } from '../errors.ts';
import { toRefusal } from './to-refusal.ts';

// What an encoding may add to a body that does not compress.
const encodingOverheadBytes = 64 * 1024;
const firstAllocationBytes = 64 * 1024;

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/** Reads a body whole, undoing its encoding, and stops at `maxBytes` whatever the headers claim. */
export async function readBody(
  body: Readable,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<Uint8Array> {
  const decoder = createDecoder(headers['content-encoding'] ?? '');
  // Encoded bytes are limited as well: an endless stream can decode to nothing.
  const maxWireBytes = decoder ? maxBytes + encodingOverheadBytes : maxBytes;
  if (Number(headers['content-length'] ?? 0) > maxWireBytes) throw new OutboundRefused('too_large');
  const seen = { wireBytes: 0 };
  const wire = limitWire(body, maxWireBytes, seen);
  if (!decoder) return collect(wire, maxBytes);
  try {
    return await pipeline(wire, decoder, (decoded: AsyncIterable<Uint8Array>) => collect(decoded, maxBytes));
  } catch (cause) {
    // Both ends of the pipeline say what went wrong in our words, so what is left is the decoder's.
    if (cause instanceof OutboundRefused) throw cause;
    // Servers name an encoding for bodies that are not there; decoders miss their first bytes then.
    if (seen.wireBytes === 0) return new Uint8Array(0);
    throw new OutboundRefused('bad_encoding', { cause });
  }
}

function createDecoder(contentEncoding: string) {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [coding, ...more] = codings;
  if (coding === undefined) return null;
  // Encodings on top of each other multiply what a small answer can unfold to, and no honest server sends them.
  if (more.length > 0 || !isKnown(coding)) throw new OutboundRefused('bad_encoding');
  return decoders[coding]();
}

function isKnown(coding: string): coding is keyof typeof decoders {
  return Object.hasOwn(decoders, coding);
}

async function* limitWire(
  body: AsyncIterable<Uint8Array>,
  maxWireBytes: number,
  seen: { wireBytes: number },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      seen.wireBytes += chunk.length;
      if (seen.wireBytes > maxWireBytes) throw new OutboundRefused('too_large');
      yield chunk;
    }
  } catch (cause) {
    throw toRefusal(cause);
  }
}

/** Copies into one growing buffer: keeping the chunks would let a server that sends single bytes cost us a hundredfold. */
async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  let buffer = new Uint8Array(Math.min(firstAllocationBytes, maxBytes));
  let length = 0;
  for await (const chunk of chunks) {
    const needed = length + chunk.length;
    if (needed > maxBytes) throw new OutboundRefused('too_large');
    if (needed > buffer.length) {
      const grown = new Uint8Array(Math.min(Math.max(needed, buffer.length * 2), maxBytes));
      grown.set(buffer.subarray(0, length));
      buffer = grown;
    }
    buffer.set(chunk, length);
    length = needed;
  }
  return buffer.slice(0, length);
}
