import { pngChunk, pngEnd, pngHeader, pngSignature, uint32 } from '@kinora/stack/harness/png-chunks';
import { noise } from '@kinora/stack/harness/seeded-random';
import { adobeSegment, colour, encodeJpeg, fourInks, halfColour, jpegSegment } from './encode-jpeg.ts';
import {
  colourProfile,
  exifOf,
  exifSegment,
  profileChunk,
  profileSegments,
  standardPrimaries,
} from './encode-metadata.ts';
import { compressedZeros, encodePng } from './encode-png.ts';
import { extendedChunk, lossyChunk, webpChunk, webpFile } from './encode-webp.ts';
import { either, eitherJpeg, eitherWebp, type HostileFile, refused, refusedJpeg, refusedWebp } from './hostile-file.ts';

const size = { width: 480, height: 360 };
const rgb = { ...size, colourType: 2, bitDepth: 8 } as const;
const jpegColour = { ...size, components: halfColour };

/** Returns files that break the rules of their format or of their metadata. */
export function hostileStructure(seed: number): HostileFile[] {
  return [...exif(), ...profiles(seed), ...headers(), ...chunks(seed), ...webps(seed)];
}

function jpegWith(...segments: Buffer[]): Buffer {
  return encodeJpeg({ ...jpegColour, segments });
}

function exif(): HostileFile[] {
  const ring = Buffer.concat([Buffer.from('MM\0*', 'latin1'), uint32(8), Buffer.from([0, 0]), uint32(8)]);
  const beyond = exifOf(6);
  beyond.writeUInt32BE(0xfffffff0, 4);
  const many = exifOf(6);
  many.writeUInt16BE(0xffff, 8);
  const longText = Buffer.concat([
    Buffer.from('MM\0*', 'latin1'),
    uint32(8),
    Buffer.from([0, 1, 1, 0x0e, 0, 2]),
    uint32(0xffffffff),
    uint32(8),
    uint32(0),
  ]);
  const broken: [string, Buffer][] = [
    ['orientation 0', exifOf(0)],
    ['orientation 9', exifOf(9)],
    ['orientation 65535', exifOf(65_535)],
    ['directories in a ring', ring],
    ['a directory beyond its end', beyond],
    ['65,535 entries that do not exist', many],
    ['a text of four gigabytes', longText],
    ['nothing in it', Buffer.alloc(0)],
  ];
  return broken.flatMap(([name, data]) => [
    eitherJpeg(`JPEG with EXIF: ${name}`, jpegWith(exifSegment(data))),
    either(`PNG with EXIF: ${name}`, encodePng({ ...rgb, before: [pngChunk('eXIf', data)] })),
  ]);
}

function profiles(seed: number): HostileFile[] {
  const good = colourProfile(standardPrimaries, 2.2);
  const changed = (at: number, value: number) => {
    const copy = Buffer.from(good);
    copy.writeUInt32BE(value, at);
    return copy;
  };
  const broken: [string, Buffer][] = [
    ['of four gigabytes', changed(0, 0xffffffff)],
    ['for printers', Buffer.concat([good.subarray(0, 16), Buffer.from('CMYK'), good.subarray(20)])],
    ['with a billion tags', changed(128, 1_000_000_000)],
    ['whose tags are beyond its end', changed(136, 0xfffffff0)],
    ['cut in half', good.subarray(0, good.length / 2)],
    ['of noise', noise(seed, 3000)],
    ['with a negative gamma', changed(good.length - 4, 0xffff0000)],
  ];
  return [
    ...broken.flatMap(([name, profile]) => [
      eitherJpeg(`JPEG with a profile ${name}`, jpegWith(...profileSegments(profile))),
      either(`PNG with a profile ${name}`, encodePng({ ...rgb, before: [profileChunk(profile)] })),
    ]),
    eitherJpeg('JPEG with one of 255 parts of a profile', jpegWith(...profileSegments(good, 255))),
    either('PNG with a profile that is not compressed', encodePng({ ...rgb, before: [profileChunk(good, good)] })),
  ];
}

function headers(): HostileFile[] {
  const png = (bitDepth: number, colourType: number, interlace = 0) =>
    Buffer.concat([
      pngSignature,
      pngHeader(480, 360, bitDepth, colourType, interlace),
      pngChunk('IDAT', compressedZeros(600_000)),
      pngEnd,
    ]);
  const frames: [string, number][] = [
    ['lossless', 0xc3],
    ['hierarchical', 0xc5],
    ['with arithmetic coding', 0xc9],
    ['of an unknown kind', 0xcf],
  ];
  return [
    refused('PNG of 3 bits', png(3, 2)),
    refused('PNG of 32 bits', png(32, 2)),
    refused('PNG of colour type 5', png(8, 5)),
    refused('PNG of colour type 255', png(8, 255)),
    refused('PNG with a palette of 16 bits', png(16, 3)),
    refused('PNG without its palette', png(8, 3)),
    refused('PNG with an unknown interlacing', png(8, 2, 9)),
    ...frames.map(([name, marker]) => eitherJpeg(`JPEG ${name}`, encodeJpeg({ ...jpegColour, frame: { marker } }))),
    eitherJpeg('JPEG of 12 bits', encodeJpeg({ ...jpegColour, frame: { precision: 12, marker: 0xc1 } })),
    eitherJpeg('JPEG of 255 bits', encodeJpeg({ ...jpegColour, frame: { precision: 255 } })),
    eitherJpeg('JPEG of four inks without a colour transform', encodeJpeg({ ...size, components: fourInks })),
    eitherJpeg(
      'JPEG of four inks with the profile of a screen',
      encodeJpeg({
        ...size,
        components: fourInks,
        segments: [adobeSegment(0), ...profileSegments(colourProfile(standardPrimaries, 2.2))],
      }),
    ),
    eitherJpeg('JPEG of two components', encodeJpeg({ ...size, components: colour.slice(0, 2) })),
    refusedJpeg(
      'JPEG of ten components',
      encodeJpeg({ ...size, components: Array.from({ length: 10 }, () => [1, 1] as const) }),
    ),
    refusedJpeg(
      'JPEG sampled 15 times',
      encodeJpeg({
        ...size,
        components: [
          [15, 15],
          [1, 1],
          [1, 1],
        ],
      }),
    ),
    refusedJpeg(
      'JPEG sampled never',
      encodeJpeg({
        ...size,
        components: [
          [1, 1],
          [0, 0],
          [1, 1],
        ],
      }),
    ),
  ];
}

function chunks(seed: number): HostileFile[] {
  const png = encodePng(rgb);
  const badSum = Buffer.from(png);
  badSum[29] = (badSum[29] ?? 0) ^ 255;
  const header = pngHeader(480, 360, 8, 2);
  const pixels = compressedZeros(360 * 1441);
  const text = (index: number) => pngChunk('tEXt', Buffer.from(`key ${index}\0value`));
  const split = Array.from({ length: Math.ceil(pixels.length / 3) }, (_, index) =>
    pngChunk('IDAT', pixels.subarray(index * 3, index * 3 + 3)),
  );
  const comments = Array.from({ length: 2000 }, (_, index) =>
    jpegSegment(0xe0 + (index % 16), Buffer.from(`segment ${index}`)),
  );
  return [
    either('PNG whose header has a wrong checksum', badSum),
    either('PNG with two headers', Buffer.concat([pngSignature, header, header, pngChunk('IDAT', pixels), pngEnd])),
    either('PNG whose header comes last', Buffer.concat([pngSignature, pngChunk('IDAT', pixels), header, pngEnd])),
    either('PNG without an end', Buffer.concat([pngSignature, header, pngChunk('IDAT', pixels)])),
    either(
      'PNG with 20,000 texts',
      encodePng({ ...rgb, before: Array.from({ length: 20_000 }, (_, index) => text(index)) }),
    ),
    either('PNG with three bytes of pixels per chunk', Buffer.concat([pngSignature, header, ...split, pngEnd])),
    either(
      'PNG with ten thousand empty pixel chunks',
      Buffer.concat([
        pngSignature,
        header,
        ...Array.from({ length: 10_000 }, () => pngChunk('IDAT', Buffer.alloc(0))),
        pngChunk('IDAT', pixels),
        pngEnd,
      ]),
    ),
    either('PNG with an unknown critical chunk', encodePng({ ...rgb, before: [pngChunk('ABCD', noise(seed, 100))] })),
    either(
      'PNG with noise as pixels',
      Buffer.concat([pngSignature, header, pngChunk('IDAT', noise(seed, 50_000)), pngEnd]),
    ),
    either(
      'PNG with a palette of 2,000 colours',
      Buffer.concat([
        pngSignature,
        pngHeader(480, 360, 8, 3),
        pngChunk('PLTE', noise(seed, 6000)),
        pngChunk('IDAT', compressedZeros(360 * 481)),
        pngEnd,
      ]),
    ),
    either(
      'animated PNG with a frame outside',
      encodePng({
        ...rgb,
        before: [
          pngChunk('acTL', Buffer.concat([uint32(0xffffffff), uint32(0)])),
          pngChunk('fcTL', Buffer.alloc(26, 255)),
        ],
      }),
    ),
    eitherJpeg('JPEG with 2,000 segments', jpegWith(...comments)),
    eitherJpeg('JPEG with a restart in every block', encodeJpeg({ ...jpegColour, restartInterval: 1 })),
    eitherJpeg(
      'JPEG with noise as blocks',
      Buffer.concat([encodeJpeg(jpegColour).subarray(0, 250), noise(seed, 50_000)]),
    ),
    eitherJpeg('JPEG with tables of noise', jpegWith(jpegSegment(0xc4, noise(seed, 400)))),
    eitherJpeg(
      'JPEG with a page of XMP',
      jpegWith(
        jpegSegment(0xe1, Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), Buffer.alloc(60_000, '<a>')])),
      ),
    ),
  ];
}

function webps(seed: number): HostileFile[] {
  const lossy = lossyChunk(480, 360);
  return [
    eitherWebp(
      'WebP with alpha of noise',
      webpFile([extendedChunk(480, 360, { hasAlpha: true }), webpChunk('ALPH', noise(seed, 5000)), lossy]),
    ),
    eitherWebp(
      'WebP with a profile of noise',
      webpFile([extendedChunk(480, 360, { hasProfile: true }), webpChunk('ICCP', noise(seed, 5000)), lossy]),
    ),
    eitherWebp(
      'WebP with EXIF of noise',
      webpFile([extendedChunk(480, 360, { hasExif: true }), lossy, webpChunk('EXIF', noise(seed, 5000))]),
    ),
    eitherWebp('WebP with two images', webpFile([lossy, lossy])),
    eitherWebp(
      'WebP that says it is animated and is not',
      webpFile([extendedChunk(480, 360, { isAnimated: true }), lossy]),
    ),
    eitherWebp(
      'WebP of lossless noise',
      webpFile([webpChunk('VP8L', Buffer.concat([Buffer.from([0x2f, 0xdf, 0xc1, 0x59, 0]), noise(seed, 50_000)]))]),
    ),
    refusedWebp(
      'WebP without an image',
      webpFile([extendedChunk(480, 360, { hasExif: true }), webpChunk('EXIF', exifOf(1))]),
    ),
  ];
}
