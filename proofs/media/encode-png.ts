import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { pngChunk, pngEnd, pngHeader, pngSignature } from '@kinora/stack/harness/png-chunks';

export type ColourType = 0 | 2 | 3 | 4 | 6;

export interface PngShape {
  width: number;
  height: number;
  colourType: ColourType;
  bitDepth: 1 | 2 | 4 | 8 | 16;
  isInterlaced?: boolean;
  /** Chunks between the header and the pixels. */
  before?: readonly Buffer[];
  /** Chunks between the pixels and the end. */
  after?: readonly Buffer[];
}

const channelsOf: Record<ColourType, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Start and step of the seven passes of an interlaced PNG. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Encodes a PNG whose pixels all vary. */
export function encodePng(shape: PngShape): Buffer {
  const rows = passesOf(shape).flatMap(({ columns, lines }) => lines.map((y) => rowOf(shape, columns, y)));
  return assemble(shape, deflateSync(Buffer.concat(rows), { level: 6 }));
}

/** Encodes a black PNG of any size without holding its pixels in memory. */
export function encodeBlackPng(shape: PngShape): Buffer {
  const bits = channelsOf[shape.colourType] * shape.bitDepth;
  const sizeBytes = passesOf(shape)
    .map(({ columns, lines }) => lines.length * (1 + Math.ceil((columns.length * bits) / 8)))
    .reduce((sum, part) => sum + part, 0);
  return assemble(shape, compressedZeros(sizeBytes));
}

/** Returns `sizeBytes` zeros in compressed form. It repeats one independent piece, so only one piece is compressed. */
export function compressedZeros(sizeBytes: number): Buffer {
  const pieceBytes = 1024 * 1024;
  const piece = deflateRawSync(Buffer.alloc(pieceBytes), { finishFlush: constants.Z_SYNC_FLUSH });
  const rest = deflateRawSync(Buffer.alloc(sizeBytes % pieceBytes));
  const checksum = Buffer.alloc(4);
  // Adler-32 of zeros: the first sum stays 1, the second counts them.
  checksum.writeUInt32BE(((sizeBytes % 65521) * 65536 + 1) >>> 0);
  const pieces = Array.from({ length: Math.floor(sizeBytes / pieceBytes) }, () => piece);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...pieces, rest, checksum]);
}

function assemble(shape: PngShape, pixels: Buffer): Buffer {
  const { width, height, bitDepth, colourType, isInterlaced = false, before = [], after = [] } = shape;
  const colours = Math.min(256, 2 ** bitDepth);
  const palette = Buffer.from(
    Array.from({ length: colours }, (_, index) => [index * 7, 255 - index, index * 3]).flat(),
  );
  return Buffer.concat([
    pngSignature,
    pngHeader(width, height, bitDepth, colourType, isInterlaced ? 1 : 0),
    ...(colourType === 3 ? [pngChunk('PLTE', palette)] : []),
    ...before,
    pngChunk('IDAT', pixels),
    ...after,
    pngEnd,
  ]);
}

function passesOf({ width, height, isInterlaced = false }: PngShape): { columns: number[]; lines: number[] }[] {
  if (!isInterlaced) return [{ columns: every(0, 1, width), lines: every(0, 1, height) }];
  return passes
    .map(([x, y, stepX, stepY]) => ({ columns: every(x, stepX, width), lines: every(y, stepY, height) }))
    .filter(({ columns, lines }) => columns.length > 0 && lines.length > 0);
}

function every(start: number, step: number, end: number): number[] {
  return Array.from({ length: Math.max(0, Math.ceil((end - start) / step)) }, (_, index) => start + index * step);
}

function rowOf({ colourType, bitDepth }: PngShape, columns: readonly number[], y: number): Buffer {
  const channels = channelsOf[colourType];
  const row = Buffer.alloc(1 + Math.ceil((columns.length * channels * bitDepth) / 8));
  let bit = 8;
  for (const x of columns) {
    for (let channel = 0; channel < channels; channel += 1) {
      const value = (x * (channel + 1) + y * 3) % Math.min(256, 2 ** bitDepth);
      const at = bit >> 3;
      if (bitDepth === 16) row.writeUInt16BE(value * 257, at);
      else row[at] = (row[at] ?? 0) | (value << (8 - bitDepth - (bit & 7)));
      bit += bitDepth;
    }
  }
  return row;
}
