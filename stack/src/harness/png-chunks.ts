import { crc32 } from 'node:zlib';

export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.byteLength), body, uint32(crc32(body))]);
}

export function pngHeader(width: number, height: number, bitDepth: number, colourType: number, interlace = 0): Buffer {
  return pngChunk(
    'IHDR',
    Buffer.concat([uint32(width), uint32(height), Buffer.from([bitDepth, colourType, 0, 0, interlace])]),
  );
}

export const pngEnd = pngChunk('IEND', Buffer.alloc(0));

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
