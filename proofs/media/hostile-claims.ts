import { pngChunk, pngEnd, pngHeader, pngSignature } from '@kinora/stack/harness/png-chunks';
import { adobeSegment, colour, emptyScans, encodeJpeg, fourInks, gray, halfColour } from './encode-jpeg.ts';
import { colourProfile, exifOf, exifSegment, profileChunk, widePrimaries } from './encode-metadata.ts';
import { compressedZeros, encodeBlackPng, encodePng } from './encode-png.ts';
import { animatedWebp, extendedChunk, losslessChunk, lossyChunk, webpChunk, webpFile } from './encode-webp.ts';
import { either, eitherJpeg, eitherWebp, type HostileFile, refused, refusedJpeg, refusedWebp } from './hostile-file.ts';

/** Returns files that claim more than they contain, or contain more than they seem to. */
export function hostileClaims(): HostileFile[] {
  return [...claims(), ...bombs()];
}

const rgb = { colourType: 2, bitDepth: 8 } as const;
const ordinary = { width: 480, height: 360 };

function claims(): HostileFile[] {
  const sizes: [number, number][] = [
    [0, 0],
    [0, 480],
    [1, 1],
    [299, 300],
    [300, 299],
    [6001, 3000],
    [3000, 6001],
    [6000, 2399],
    [2399, 6000],
    [20_000, 20_000],
    [65_535, 65_535],
    [2 ** 20, 2 ** 20],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 31, 1],
    [2 ** 32 - 1, 2 ** 32 - 1],
  ];
  const png = ([width, height]: [number, number]) =>
    Buffer.concat([pngSignature, pngHeader(width, height, 8, 2), pngChunk('IDAT', compressedZeros(5000)), pngEnd]);
  const jpeg = ([width, height]: [number, number]) =>
    encodeJpeg({ ...ordinary, components: halfColour, frame: { width, height } });
  const webp = ([width, height]: [number, number]) => webpFile([losslessChunk(width, height, [255, 1, 2, 3])]);
  return [
    ...sizes.map((size) => refused(`PNG that claims ${size.join('x')}`, png(size))),
    ...sizes
      .filter(([width]) => width < 65_536)
      .map((size) => refusedJpeg(`JPEG that claims ${size.join('x')}`, jpeg(size))),
    ...sizes
      .filter(([width]) => width > 0 && width < 16_385)
      .map((size) => refusedWebp(`WebP that claims ${size.join('x')}`, webp(size))),
    refusedWebp('lossy WebP of 16383x16383', webpFile([lossyChunk(16_383, 16_383).subarray(0, 5000)])),
    refusedWebp(
      'WebP whose canvas is 16777216x256 and whose image is small',
      webpFile([extendedChunk(2 ** 24, 256, {}), lossyChunk(480, 360)]),
    ),
    eitherWebp(
      'WebP whose canvas is smaller than its image',
      webpFile([extendedChunk(400, 300, {}), lossyChunk(480, 360)]),
    ),
    eitherWebp('WebP that claims four gigabytes', webpFile([lossyChunk(480, 360)], 0xfffffff6)),
    eitherWebp('WebP that claims nothing', webpFile([lossyChunk(480, 360)], 4)),
    refused(
      'PNG with a chunk of two gigabytes',
      Buffer.concat([
        pngSignature,
        pngHeader(480, 360, 8, 2),
        Buffer.from([0x7f, 0xff, 0xff, 0xff]),
        Buffer.from('IDAT'),
      ]),
    ),
    refused('PNG without pixels', Buffer.concat([pngSignature, pngHeader(480, 360, 8, 2), pngEnd])),
    either('PNG with a hundredth of its pixels', shortPng()),
    eitherJpeg(
      'JPEG with one line of its blocks',
      encodeJpeg({ width: 480, height: 8, components: colour, frame: { height: 3000, width: 3000 } }),
    ),
  ];
}

function shortPng(): Buffer {
  return Buffer.concat([pngSignature, pngHeader(4000, 4000, 8, 2), pngChunk('IDAT', compressedZeros(480_000)), pngEnd]);
}

function bombs(): HostileFile[] {
  const large = { width: 6000, height: 6000 };
  const blocks = 750 * 750;
  const text = (sizeBytes: number) => Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), compressedZeros(sizeBytes)]);
  const manyTexts = Array.from({ length: 60 }, () => pngChunk('zTXt', text(8_000_000)));
  const scans = (count: number) =>
    encodeJpeg({ ...large, components: gray, isProgressive: true, afterScan: emptyScans(blocks, count) });
  return [
    refused('PNG bomb of 400 megapixels', encodeBlackPng({ width: 20_000, height: 20_000, ...rgb })),
    either('PNG of 36 megapixels in 16 bits with alpha', encodeBlackPng({ ...large, colourType: 6, bitDepth: 16 })),
    either(
      'interlaced PNG of 36 megapixels in 16 bits with alpha',
      encodeBlackPng({ ...large, colourType: 6, bitDepth: 16, isInterlaced: true }),
    ),
    either(
      'PNG with a gigabyte after its pixels',
      encodePng({ ...ordinary, ...rgb, after: [pngChunk('IDAT', compressedZeros(2 ** 30))] }),
    ),
    either(
      'PNG with a text of a gigabyte',
      encodePng({ ...ordinary, ...rgb, before: [pngChunk('zTXt', text(2 ** 30))] }),
    ),
    either('PNG with sixty texts of eight megabytes', encodePng({ ...ordinary, ...rgb, before: manyTexts })),
    either(
      'PNG with a profile of a gigabyte',
      encodePng({ ...ordinary, ...rgb, before: [profileChunk(Buffer.alloc(0), compressedZeros(2 ** 30))] }),
    ),
    either(
      'PNG with a profile and twenty megabytes after it',
      encodePng({
        ...ordinary,
        ...rgb,
        before: [profileChunk(Buffer.concat([colourProfile(widePrimaries, 2.2), Buffer.alloc(20_000_000)]))],
      }),
    ),
    eitherJpeg('JPEG with 200 empty scans', scans(200)),
    eitherJpeg('JPEG with 20,000 empty scans', scans(20_000)),
    eitherJpeg(
      'progressive JPEG of 36 megapixels',
      encodeJpeg({ ...large, components: halfColour, isProgressive: true }),
    ),
    eitherJpeg(
      'progressive JPEG of 36 megapixels in four inks, on its side',
      encodeJpeg({
        ...large,
        components: fourInks,
        isProgressive: true,
        segments: [adobeSegment(0), exifSegment(exifOf(6))],
      }),
    ),
    either(
      'interlaced PNG of 36 megapixels in 16 bits with alpha, on its side',
      encodeBlackPng({
        ...large,
        colourType: 6,
        bitDepth: 16,
        isInterlaced: true,
        before: [pngChunk('eXIf', exifOf(6))],
      }),
    ),
    eitherWebp(
      'lossless WebP of 36 megapixels, on its side',
      webpFile([
        extendedChunk(6000, 6000, { hasExif: true }),
        losslessChunk(6000, 6000, [255, 9, 9, 9]),
        webpChunk('EXIF', exifOf(6)),
      ]),
    ),
    eitherWebp('WebP of a thousand frames', animatedWebp(2000, 2000, 1000)),
    refusedWebp('WebP animation of 16384x16384', animatedWebp(16_384, 16_384, 3)),
    eitherWebp(
      'WebP with a profile of four megabytes of zeros',
      webpFile([
        extendedChunk(480, 360, { hasProfile: true }),
        webpChunk('ICCP', Buffer.alloc(4_000_000)),
        lossyChunk(480, 360),
      ]),
    ),
  ];
}
