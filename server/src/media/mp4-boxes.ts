import type { FileHandle } from 'node:fs/promises';
import { OutputInvalid } from '../errors.ts';

/** More than any muxer writes; a file of nothing but tiny boxes must not keep us busy. */
const maxBoxes = 256;
/** Enough for a few hundred thousand frames; the index of a video of one minute takes less than 100 kB. */
const maxIndexBytes = 16 * 1024 * 1024;

/** Reads the index of an MP4 file (its `moov` box), and whether it precedes the media data. Throws `OutputInvalid`. */
export async function readMp4Index(file: FileHandle): Promise<{ index: Buffer; isFastStart: boolean }> {
  let offset = 0;
  let isFastStart = true;
  for (let boxes = 0; boxes < maxBoxes; boxes += 1) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, offset);
    const header = readHeader(buffer.subarray(0, bytesRead));
    if (!header) break;
    if (header.type === 'moov') return { index: await readBody(file, offset, header), isFastStart };
    if (header.type === 'mdat') isFastStart = false;
    // A size of 0 means "up to the end of the file", so nothing follows.
    if (header.sizeBytes === 0) break;
    offset += header.sizeBytes;
  }
  throw new OutputInvalid('the file has no index');
}

async function readBody(file: FileHandle, offset: number, { sizeBytes, headerBytes }: BoxHeader): Promise<Buffer> {
  const bodyBytes = (sizeBytes || (await file.stat()).size - offset) - headerBytes;
  if (bodyBytes > maxIndexBytes) throw new OutputInvalid('the index of the file is too large');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bodyBytes), 0, bodyBytes, offset + headerBytes);
  if (bytesRead < bodyBytes) throw new OutputInvalid('the index of the file is cut short');
  return buffer;
}

export interface Mp4Box {
  type: string;
  body: Buffer;
}

/** Returns the boxes in the body of another box, up to the first one that is damaged. */
export function boxesIn(body: Buffer): Mp4Box[] {
  const boxes: Mp4Box[] = [];
  let offset = 0;
  while (offset < body.length) {
    const header = readHeader(body.subarray(offset));
    if (!header) break;
    const end = header.sizeBytes === 0 ? body.length : offset + header.sizeBytes;
    if (end > body.length) break;
    boxes.push({ type: header.type, body: body.subarray(offset + header.headerBytes, end) });
    offset = end;
  }
  return boxes;
}

/** Follows a path of box types, such as `mdia/minf/stbl`; returns the body of the first box at its end. */
export function findBox(body: Buffer, path: string): Buffer | null {
  let found: Buffer | undefined = body;
  for (const type of path.split('/')) {
    found = boxesIn(found).find((box) => box.type === type)?.body;
    if (!found) return null;
  }
  return found;
}

interface BoxHeader {
  type: string;
  /** The size of the whole box, header included; 0 means "up to the end". */
  sizeBytes: number;
  headerBytes: number;
}

function readHeader(bytes: Buffer): BoxHeader | null {
  if (bytes.length < 8) return null;
  const type = bytes.toString('latin1', 4, 8);
  const shortSize = bytes.readUInt32BE(0);
  if (shortSize !== 1) return shortSize === 0 || shortSize >= 8 ? { type, sizeBytes: shortSize, headerBytes: 8 } : null;
  // A size of 1 means that the real one follows the type.
  if (bytes.length < 16) return null;
  const sizeBytes = Number(bytes.readBigUInt64BE(8));
  return sizeBytes >= 16 && sizeBytes <= Number.MAX_SAFE_INTEGER / 2 ? { type, sizeBytes, headerBytes: 16 } : null;
}
