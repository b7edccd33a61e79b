import { deflateSync } from 'node:zlib';
import { pngChunk, pngEnd, pngHeader, pngSignature, uint32 } from '@kinora/stack/harness/png-chunks';
import { noise } from '@kinora/stack/harness/seeded-random';
import { adobeSegment, colour, encodeJpeg, fourInks, gray, halfColour, jpegSegment } from './encode-jpeg.ts';
import {
  colourProfile,
  exifOf,
  exifSegment,
  profileChunk,
  profileSegments,
  standardPrimaries,
  widePrimaries,
} from './encode-metadata.ts';
import { type ColourType, encodeBlackPng, encodePng } from './encode-png.ts';
import { animatedWebp, extendedChunk, losslessChunk, lossyChunk, webpChunk, webpFile } from './encode-webp.ts';

export interface GoodImage {
  name: string;
  bytes: Buffer;
  contentType: string;
  /** The size after normalisation, which turns the image upright. */
  width: number;
  height: number;
}

const size = { width: 480, height: 360 };

/** Returns ordinary images of every accepted format, depth, orientation and profile, and at the size limits. */
export function goodImages(): GoodImage[] {
  return [...pngs(), ...jpegs(), ...webps()];
}

function pngs(): GoodImage[] {
  const png = (name: string, bytes: Buffer, { width, height } = size): GoodImage => ({
    name: `PNG, ${name}`,
    bytes,
    contentType: 'image/png',
    width,
    height,
  });
  const rgb = { colourType: 2, bitDepth: 8 } as const;
  const depths: [ColourType, 1 | 2 | 4 | 8 | 16][] = [
    [0, 1],
    [0, 2],
    [0, 4],
    [0, 8],
    [0, 16],
    [2, 8],
    [2, 16],
    [3, 1],
    [3, 2],
    [3, 4],
    [3, 8],
    [4, 8],
    [4, 16],
    [6, 8],
    [6, 16],
  ];
  const limits = [
    { width: 300, height: 300 },
    { width: 300, height: 750 },
    { width: 750, height: 300 },
    { width: 6000, height: 2400 },
    { width: 2400, height: 6000 },
    { width: 6000, height: 6000 },
  ];
  const text = Buffer.from('Comment\0made by hand', 'latin1');
  const packedText = Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(5000, 'a'))]);
  const gamma = [pngChunk('gAMA', uint32(45_455)), pngChunk('sRGB', Buffer.from([0]))];
  const frames = [pngChunk('acTL', Buffer.concat([uint32(1), uint32(0)])), pngChunk('fcTL', frameControl())];
  return [
    ...depths.map(([colourType, bitDepth]) =>
      png(`colour type ${colourType}, ${bitDepth} bits`, encodePng({ ...size, colourType, bitDepth })),
    ),
    ...limits.map((limit) => png(`${limit.width}x${limit.height}`, encodeBlackPng({ ...limit, ...rgb }), limit)),
    png('interlaced', encodePng({ ...size, ...rgb, isInterlaced: true })),
    png('interlaced palette', encodePng({ ...size, colourType: 3, bitDepth: 4, isInterlaced: true })),
    png(
      'transparent palette',
      encodePng({ ...size, colourType: 3, bitDepth: 8, before: [pngChunk('tRNS', Buffer.alloc(9))] }),
    ),
    png(
      'transparent gray',
      encodePng({ ...size, colourType: 0, bitDepth: 8, before: [pngChunk('tRNS', Buffer.from([0, 7]))] }),
    ),
    png('wide colours', encodePng({ ...size, ...rgb, before: [profileChunk(colourProfile(widePrimaries, 2.2))] })),
    png(
      'gray profile',
      encodePng({ ...size, colourType: 0, bitDepth: 8, before: [profileChunk(colourProfile(null, 1.8))] }),
    ),
    png('gamma and sRGB', encodePng({ ...size, ...rgb, before: gamma })),
    png(
      'texts',
      encodePng({ ...size, ...rgb, before: [pngChunk('tEXt', text)], after: [pngChunk('zTXt', packedText)] }),
    ),
    // Just below the limits of inline images and of fetched images.
    png('9.9 MB of noise', encodeNoisePng(1900, 1736), { width: 1900, height: 1736 }),
    png('19.9 MB of noise', encodeNoisePng(2700, 2456), { width: 2700, height: 2456 }),
    png('animated', encodePng({ ...size, ...rgb, before: frames })),
  ];
}

function jpegs(): GoodImage[] {
  const jpeg = (name: string, bytes: Buffer, { width, height } = size): GoodImage => ({
    name: `JPEG, ${name}`,
    bytes,
    contentType: 'image/jpeg',
    width,
    height,
  });
  const plain = { ...size, components: halfColour };
  const density = jpegSegment(0xe0, Buffer.from('JFIF\0\x01\x02\x01\x01\x2c\x01\x2c\0\0', 'latin1'));
  return [
    jpeg('gray', encodeJpeg({ ...size, components: gray })),
    jpeg('full colour', encodeJpeg({ ...size, components: colour })),
    jpeg('half colour', encodeJpeg(plain)),
    jpeg(
      'colour halved across',
      encodeJpeg({
        ...size,
        components: [
          [2, 1],
          [1, 1],
          [1, 1],
        ],
      }),
    ),
    jpeg('progressive', encodeJpeg({ ...plain, isProgressive: true })),
    jpeg('with restarts', encodeJpeg({ ...plain, restartInterval: 4 })),
    jpeg('four inks', encodeJpeg({ ...size, components: fourInks, segments: [adobeSegment(0)] })),
    jpeg('four inks as YCCK', encodeJpeg({ ...size, components: fourInks, segments: [adobeSegment(2)] })),
    jpeg('RGB', encodeJpeg({ ...size, components: colour, segments: [adobeSegment(0)] })),
    jpeg('JFIF with a density', encodeJpeg({ ...plain, segments: [density] })),
    jpeg('a comment', encodeJpeg({ ...plain, segments: [density, jpegSegment(0xfe, Buffer.from('by hand'))] })),
    jpeg('its profile', encodeJpeg({ ...plain, segments: profileSegments(colourProfile(standardPrimaries, 2.2)) })),
    jpeg('wide colours', encodeJpeg({ ...plain, segments: profileSegments(colourProfile(widePrimaries, 2.2)) })),
    jpeg('bytes after its end', Buffer.concat([encodeJpeg(plain), Buffer.alloc(2000, 'x')])),
    jpeg('large', encodeJpeg({ width: 4000, height: 3000, components: halfColour }), { width: 4000, height: 3000 }),
    ...Array.from({ length: 8 }, (_, index) => {
      const isTurned = index + 1 > 4;
      const upright = isTurned ? { width: size.height, height: size.width } : size;
      const bytes = encodeJpeg({ ...plain, segments: [exifSegment(exifOf(index + 1))] });
      return jpeg(`orientation ${index + 1}`, bytes, upright);
    }),
  ];
}

function webps(): GoodImage[] {
  const webp = (name: string, bytes: Buffer, { width, height } = size): GoodImage => ({
    name: `WebP, ${name}`,
    bytes,
    contentType: 'image/webp',
    width,
    height,
  });
  const { width, height } = size;
  const lossy = lossyChunk(width, height);
  const profile = webpChunk('ICCP', colourProfile(standardPrimaries, 2.2));
  const largest = { width: 6000, height: 6000 };
  const turned = { width: height, height: width };
  return [
    webp('lossy', webpFile([lossy])),
    webp('lossless', webpFile([losslessChunk(width, height, [255, 200, 90, 30])])),
    webp('half transparent', webpFile([losslessChunk(width, height, [128, 200, 90, 30])])),
    webp('profile', webpFile([extendedChunk(width, height, { hasProfile: true }), profile, lossy])),
    webp(
      'on its side',
      webpFile([extendedChunk(width, height, { hasExif: true }), lossy, webpChunk('EXIF', exifOf(6))]),
      turned,
    ),
    webp('animated', animatedWebp(width, height, 5)),
    webp('largest', webpFile([losslessChunk(largest.width, largest.height, [255, 9, 9, 9])]), largest),
  ];
}

/** Encodes noise, which no compression makes smaller, so the file is as large as its pixels. */
function encodeNoisePng(width: number, height: number): Buffer {
  const pixels = noise(width, height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) pixels[y * (1 + width * 3)] = 0; // no filter
  return Buffer.concat([
    pngSignature,
    pngHeader(width, height, 8, 2),
    pngChunk('IDAT', deflateSync(pixels, { level: 0 })),
    pngEnd,
  ]);
}

/** Returns the control data of a single frame that is the image itself, shown for a second. */
function frameControl(): Buffer {
  return Buffer.concat([
    uint32(0),
    uint32(size.width),
    uint32(size.height),
    uint32(0),
    uint32(0),
    Buffer.from([0, 1, 0, 1, 0, 0]),
  ]);
}
