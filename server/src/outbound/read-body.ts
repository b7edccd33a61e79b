import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { OutboundRefused } from '../errors.ts';
import { toRefusal } from './to-refusal.ts';

// How much an encoding may add to a body that does not compress.
const encodingOverheadBytes = 64 * 1024;
const firstAllocationBytes = 64 * 1024;

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: (firstByte: number) => (startsZlib(firstByte) ? createInflate() : createInflateRaw()),
  br: createBrotliDecompress,
} as const;

type Coding = keyof typeof decoders;

/** Reads and decodes a whole body, and stops at `maxBytes` whatever the headers claim. */
export async function readBody(
  body: Readable,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
): Promise<Uint8Array> {
  const coding = codingOf(headers['content-encoding'] ?? '');
  // Encoded bytes are limited as well: an endless stream can decode to nothing.
  const maxWireBytes = coding ? maxBytes + encodingOverheadBytes : maxBytes;
  if (Number(headers['content-length'] ?? 0) > maxWireBytes) throw new OutboundRefused('too_large');
  const wire = limitWire(body, maxWireBytes);
  if (!coding) return collect(wire, maxBytes);
  const first = await wire.next();
  // Some servers declare an encoding for an empty body, which a decoder would reject.
  if (first.done) return new Uint8Array(0);
  const decoder = createDecoder(coding, first.value[0] ?? 0);
  try {
    return await pipeline(prepend(first.value, wire), decoder, (decoded: AsyncIterable<Uint8Array>) =>
      collect(decoded, maxBytes),
    );
  } catch (cause) {
    // Both ends of the pipeline throw OutboundRefused, so any other error comes from the decoder.
    throw cause instanceof OutboundRefused ? cause : new OutboundRefused('bad_encoding', { cause });
  }
}

function codingOf(contentEncoding: string): Coding | null {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  const [coding, ...more] = codings;
  if (coding === undefined) return null;
  // Stacked encodings multiply the size to which a small response can expand, and no honest server sends them.
  if (more.length > 0 || !isKnown(coding)) throw new OutboundRefused('bad_encoding');
  return coding;
}

function isKnown(coding: string): coding is Coding {
  return Object.hasOwn(decoders, coding);
}

function createDecoder(coding: Coding, firstByte: number) {
  return coding === 'deflate' ? decoders.deflate(firstByte) : decoders[coding]();
}

/** "deflate" means the zlib format, but some servers send the raw stream, and browsers accept both. */
function startsZlib(firstByte: number): boolean {
  return (firstByte & 0x0f) === 8;
}

async function* prepend(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

async function* limitWire(body: AsyncIterable<Uint8Array>, maxWireBytes: number): AsyncGenerator<Uint8Array> {
  let wireBytes = 0;
  try {
    for await (const chunk of body) {
      wireBytes += chunk.length;
      if (wireBytes > maxWireBytes) throw new OutboundRefused('too_large');
      yield chunk;
    }
  } catch (cause) {
    throw toRefusal(cause);
  }
}

/** Copies into one growing buffer: kept chunks would cost a hundred times the memory if a server sends single bytes. */
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
