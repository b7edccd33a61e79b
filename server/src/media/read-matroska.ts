import type { FileHandle } from 'node:fs/promises';
import { OutputInvalid } from '../errors.ts';
import type { VideoFacts } from './video-facts.ts';

const ids = { segment: 0x18538067, tracks: 0x1654ae6b, track: 0xae, video: 0xe0, width: 0xb0, height: 0xba } as const;
/** More elements than any muxer writes before its tracks. */
const maxElements = 256;
const maxTracksBytes = 1024 * 1024;

/** Reads the size of the pictures of a Matroska or WebM file, which is always encoded again. Throws `OutputInvalid`. */
export async function readMatroska(file: FileHandle): Promise<VideoFacts> {
  const tracks = await readTracks(file);
  for (const { id, body } of tracks ? elementsIn(tracks) : []) {
    if (id !== ids.track) continue;
    const video = elementsIn(body).find((element) => element.id === ids.video)?.body;
    if (!video) continue;
    const [width, height] = [readNumber(video, ids.width), readNumber(video, ids.height)];
    if (width > 0 && height > 0) return { container: 'matroska', width, height, plain: null, audio: 'unknown' };
  }
  throw new OutputInvalid('the file contains no video');
}

/** Finds the element that describes the tracks, without reading the media between. */
async function readTracks(file: FileHandle): Promise<Buffer | null> {
  let offset = 0;
  for (let count = 0; count < maxElements; count += 1) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, offset);
    const header = readHeader(buffer.subarray(0, bytesRead));
    if (!header) return null;
    offset += header.headerBytes;
    // The tracks are inside the segment, which takes up the rest of the file.
    if (header.id === ids.segment) continue;
    if (header.id === ids.tracks) {
      const length = Math.min(header.bodyBytes, maxTracksBytes);
      const body = await file.read(Buffer.alloc(length), 0, length, offset);
      return body.buffer.subarray(0, body.bytesRead);
    }
    offset += header.bodyBytes;
  }
  return null;
}

interface Element {
  id: number;
  body: Buffer;
}

function elementsIn(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const header = readHeader(bytes.subarray(offset));
    if (!header) break;
    const start = offset + header.headerBytes;
    elements.push({ id: header.id, body: bytes.subarray(start, start + header.bodyBytes) });
    offset = start + header.bodyBytes;
  }
  return elements;
}

function readNumber(parent: Buffer, id: number): number {
  const body = elementsIn(parent).find((element) => element.id === id)?.body;
  return body && body.length > 0 && body.length <= 4 ? body.readUIntBE(0, body.length) : 0;
}

/** Reads an id and a length; both say by their leading zero bits how many bytes they take. */
function readHeader(bytes: Buffer): { id: number; bodyBytes: number; headerBytes: number } | null {
  const idBytes = Math.clz32((bytes[0] ?? 0) << 24) + 1;
  const lengthBytes = Math.clz32((bytes[idBytes] ?? 0) << 24) + 1;
  const headerBytes = idBytes + lengthBytes;
  if (idBytes > 4 || lengthBytes > 8 || headerBytes > bytes.length) return null;
  let bodyBytes = bytes.readUInt8(idBytes) & (0xff >> lengthBytes);
  for (let index = 1; index < lengthBytes; index += 1) bodyBytes = bodyBytes * 256 + bytes.readUInt8(idBytes + index);
  return { id: bytes.readUIntBE(0, idBytes), bodyBytes, headerBytes };
}
