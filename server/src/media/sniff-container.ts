import { type FileHandle, open } from 'node:fs/promises';
import type { VideoContainer } from '@kinora/boxes/ffmpeg-arguments';

const movBoxes: readonly string[] = ['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide'];
const matroskaSignature = 0x1a45dfa3;
/** More than any muxer writes; a file of nothing but tiny boxes must not keep us busy. */
const maxBoxes = 256;

/**
 * Detects the container from the first bytes, and for MP4 whether the index precedes the media; null for other files.
 */
export async function sniffContainer(
  path: string,
): Promise<{ container: VideoContainer; isFastStart: boolean } | null> {
  const file = await open(path);
  try {
    const head = await readAt(file, 0);
    if (!head) return null;
    if (head.readUInt32BE(0) === matroskaSignature) return { container: 'matroska', isFastStart: false };
    if (!movBoxes.includes(boxType(head))) return null;
    return { container: 'mov', isFastStart: await findsIndexFirst(file) };
  } finally {
    await file.close();
  }
}

async function findsIndexFirst(file: FileHandle): Promise<boolean> {
  let offset = 0;
  for (let boxes = 0; boxes < maxBoxes; boxes += 1) {
    const header = await readAt(file, offset);
    if (!header) return false;
    const type = boxType(header);
    if (type === 'moov' || type === 'mdat') return type === 'moov';
    const shortSize = header.readUInt32BE(0);
    // A size of 1 means that the real one follows the type; 0 means "up to the end of the file".
    const sizeBytes = shortSize === 1 ? Number(header.readBigUInt64BE(8)) : shortSize;
    if (sizeBytes < 8 || offset + sizeBytes > Number.MAX_SAFE_INTEGER) return false;
    offset += sizeBytes;
  }
  return false;
}

function boxType(header: Buffer): string {
  return header.toString('latin1', 4, 8);
}

async function readAt(file: FileHandle, offset: number): Promise<Buffer | null> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(16), 0, 16, offset);
  return bytesRead >= 8 ? buffer : null;
}
