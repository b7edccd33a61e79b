import { deflateSync } from 'node:zlib';
import { pngChunk, uint32 } from '@kinora/stack/harness/png-chunks';
import { jpegSegment } from './encode-jpeg.ts';

/** Returns EXIF data with an orientation; only 1 to 8 are valid. */
export function exifOf(orientation: number): Buffer {
  return Buffer.concat([
    Buffer.from('MM', 'latin1'),
    Buffer.from([0, 42]),
    uint32(8),
    // One entry: orientation (0x0112), a short (3), one value.
    Buffer.from([0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, orientation >> 8, orientation & 255, 0, 0]),
    uint32(0),
  ]);
}

export function exifSegment(exif: Buffer): Buffer {
  return jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif]));
}

/** Returns a profile in as many segments as it needs; `parts` announces another number. */
export function profileSegments(profile: Buffer, parts?: number): Buffer[] {
  const partBytes = 65_000;
  const count = Math.ceil(profile.length / partBytes);
  return Array.from({ length: count }, (_, index) =>
    jpegSegment(
      0xe2,
      Buffer.concat([
        Buffer.from('ICC_PROFILE\0', 'latin1'),
        Buffer.from([index + 1, parts ?? count]),
        profile.subarray(index * partBytes, (index + 1) * partBytes),
      ]),
    ),
  );
}

/** Returns a PNG chunk with a profile; `compressed` replaces the compressed profile. */
export function profileChunk(profile: Buffer, compressed: Buffer = deflateSync(profile)): Buffer {
  return pngChunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), compressed]));
}

type Point = readonly [x: number, y: number, z: number];

/** The primaries of two colour spaces of screens: the usual one, and a wider one. */
export const standardPrimaries = [
  [0.4361, 0.2225, 0.0139],
  [0.3851, 0.7169, 0.0971],
  [0.1431, 0.0606, 0.7141],
] as const satisfies Point[];
export const widePrimaries = [
  [0.6097, 0.3111, 0.0195],
  [0.2053, 0.6257, 0.0609],
  [0.1492, 0.0632, 0.7446],
] as const satisfies Point[];

/** Returns an ICC profile of version 2 with three primaries, or none for gray, and one curve. */
export function colourProfile(primaries: readonly Point[] | null, gamma: number): Buffer {
  const curve = Buffer.concat([
    Buffer.from('curv\0\0\0\0', 'latin1'),
    uint32(1),
    Buffer.from([Math.floor(gamma), Math.round((gamma % 1) * 256)]),
    Buffer.alloc(2),
  ]);
  const text = Buffer.from('a profile\0', 'latin1');
  const tags: [string, Buffer][] = [
    ['desc', Buffer.concat([Buffer.from('desc\0\0\0\0', 'latin1'), uint32(text.length), text, Buffer.alloc(78)])],
    ['cprt', Buffer.concat([Buffer.from('text\0\0\0\0', 'latin1'), text])],
    ['wtpt', pointTag([0.9642, 1, 0.8249])],
    ...(primaries === null
      ? ([['kTRC', curve]] as [string, Buffer][])
      : (['r', 'g', 'b'] as const).flatMap((letter, index): [string, Buffer][] => [
          [`${letter}XYZ`, pointTag(primaries[index] ?? [0, 0, 0])],
          [`${letter}TRC`, curve],
        ])),
  ];
  return assembleProfile(primaries === null ? 'GRAY' : 'RGB ', tags);
}

function assembleProfile(space: string, tags: readonly [string, Buffer][]): Buffer {
  let offset = 128 + 4 + tags.length * 12;
  const table: Buffer[] = [];
  const bodies: Buffer[] = [];
  for (const [name, data] of tags) {
    table.push(Buffer.from(name, 'latin1'), uint32(offset), uint32(data.length));
    const padded = Buffer.concat([data, Buffer.alloc((4 - (data.length % 4)) % 4)]);
    bodies.push(padded);
    offset += padded.length;
  }
  const header = Buffer.alloc(128);
  header.writeUInt32BE(offset, 0);
  header.writeUInt32BE(0x02400000, 8);
  header.write(`mntr${space}XYZ `, 12, 'latin1');
  header.set([7, 234, 0, 11, 0, 15], 24); // 15 November 2026
  header.write('acsp', 36, 'latin1');
  pointTag([0.9642, 1, 0.8249]).copy(header, 68, 8);
  return Buffer.concat([header, uint32(tags.length), ...table, ...bodies]);
}

function pointTag(point: Point): Buffer {
  return Buffer.concat([
    Buffer.from('XYZ \0\0\0\0', 'latin1'),
    ...point.map((value) => uint32(Math.round(value * 65_536))),
  ]);
}
