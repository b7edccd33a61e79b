import { crc32, deflateSync } from 'node:zlib';
import { createBox } from '@kinora/boxes/box';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { createImages } from './images.ts';

const scratchRoot = temporaryFolder('images');
const images = createImages({ box: await createBox({}), scratchRoot, poolSize: 2 });
afterAll(async () => {
  await images.close();
});

const plain = (width: number, height: number, background = '#c83214') =>
  sharp({ create: { width, height, channels: 3, background } });
/** Noise does not compress, so a truncated file lacks pixels, not padding. */
const noise = (width = 400, height = 400) =>
  sharp({
    create: { width, height, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  });
const refusedAs = (code: string) => expect.objectContaining({ name: 'AppError', code });
const pixel = async (image: Uint8Array, left: number, top: number) => [
  ...(await sharp(image).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
];

const chunk = (type: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
};

/** A PNG that claims a size which its data does not have. */
function claimingPng(width: number, height: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = chunk('IDAT', deflateSync(Buffer.alloc(1000)));
  return Buffer.concat([signature, chunk('IHDR', header), data, chunk('IEND', Buffer.alloc(0))]);
}

/** An image that is red at the left and right, and green in the middle. */
const wide = async () => {
  const middle = await plain(400, 400, '#00ff00').png().toBuffer();
  return (
    await images.normalise(
      'proj_1',
      await plain(800, 400, '#ff0000')
        .composite([{ input: middle }])
        .png()
        .toBuffer(),
    )
  ).bytes;
};

describe('image normalisation', () => {
  it.each(['jpeg', 'png', 'webp'] as const)('%s becomes an sRGB PNG of its size', async (format) => {
    const image = await images.normalise('proj_1', await plain(640, 480).toFormat(format).toBuffer());
    expect(image).toMatchObject({ width: 640, height: 480, contentType: 'image/png' });
    expect(await sharp(image.bytes).metadata()).toMatchObject({
      format: 'png',
      space: 'srgb',
      channels: 3,
      depth: 'uchar',
    });
    const [red = 0, green = 0, blue = 0] = await pixel(image.bytes, 320, 240);
    expect(Math.abs(red - 0xc8) + Math.abs(green - 0x32) + Math.abs(blue - 0x14)).toBeLessThan(12);
  });

  it('EXIF rotation is applied: a picture taken sideways comes out upright, with its sides swapped', async () => {
    const left = await plain(300, 400, '#ff0000').png().toBuffer();
    const sideways = await plain(600, 400, '#0000ff')
      .composite([{ input: left, left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { bytes, width, height } = await images.normalise('proj_1', sideways);
    expect([width, height]).toEqual([400, 600]);
    expect((await pixel(bytes, 200, 50))[0]).toBeGreaterThan(200); // the left half is now at the top
    expect((await pixel(bytes, 200, 550))[2]).toBeGreaterThan(200);
    expect((await sharp(bytes).metadata()).orientation).toBeUndefined();
  });

  it('metadata and data appended to the file are dropped', async () => {
    const exif = { IFD0: { Copyright: 'secret-owner' }, IFD3: { GPSLatitudeRef: 'N' } };
    const photo = await plain(400, 400)
      .withExif(exif)
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
      .jpeg()
      .toBuffer();
    expect(photo.includes('secret-owner')).toBe(true);
    const polyglot = Buffer.concat([photo, Buffer.from('<svg onload="alert(1)"/>PK\u0003\u0004')]);
    const { bytes, sha256 } = await images.normalise('proj_1', polyglot);
    const metadata = await sharp(bytes).metadata();
    expect([metadata.exif, metadata.xmp, metadata.icc, metadata.comments]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(Buffer.from(bytes).includes('svg')).toBe(false);
    expect((await images.normalise('proj_1', photo)).sha256).toBe(sha256);
  });

  it('alpha is flattened onto white, and grey, CMYK and 16-bit images become 8-bit sRGB', async () => {
    const clear = sharp({ create: { width: 300, height: 300, channels: 4, background: '#ff000000' } })
      .png()
      .toBuffer();
    expect(await pixel((await images.normalise('proj_1', await clear)).bytes, 9, 9)).toEqual([255, 255, 255]);
    for (const odd of [
      plain(300, 300).greyscale().jpeg(),
      plain(300, 300).toColourspace('cmyk').jpeg(),
      plain(300, 300).toColourspace('rgb16').png(),
    ]) {
      const { bytes } = await images.normalise('proj_1', await odd.toBuffer());
      expect(await sharp(bytes).metadata()).toMatchObject({ space: 'srgb', channels: 3, depth: 'uchar' });
    }
  });

  it('an animation becomes its first frame', async () => {
    const frames = [plain(300, 300, '#00ff00'), plain(300, 300, '#ff0000')].map((frame) => frame.png().toBuffer());
    const animation = await sharp(await Promise.all(frames), { join: { animated: true } })
      .webp({ lossless: true })
      .toBuffer();
    expect((await sharp(animation).metadata()).pages).toBe(2);
    const image = await images.normalise('proj_1', animation);
    expect([image.width, image.height]).toEqual([300, 300]);
    expect(await pixel(image.bytes, 150, 150)).toEqual([0, 255, 0]);
  });

  it('the same bytes give the same image, whichever child decodes them', async () => {
    const photo = await noise(800, 600).jpeg().toBuffer();
    const digests = await Promise.all([1, 2, 3, 4].map(async () => (await images.normalise('proj_1', photo)).sha256));
    expect(new Set(digests).size).toBe(1);
  });
});

describe('refused images', () => {
  it.each([
    ['an SVG, whatever its name', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"/>')],
    ['a GIF', Buffer.from('GIF89a\u0090\u0001\u0090\u0001', 'latin1')],
    ['a TIFF', Buffer.from('II*\0\b\0\0\0')],
    ['a HEIF', Buffer.from('\0\0\0\u0018ftypheic\0\0\0\0')],
    ['a PDF', Buffer.from('%PDF-1.7')],
    ['an empty file', Buffer.alloc(0)],
    ['a RIFF file that is not a WebP', Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
  ])('%s has an unsupported format', async (_name, bytes) => {
    await expect(images.normalise('proj_1', bytes)).rejects.toEqual(refusedAs('image_unsupported_format'));
  });

  it.each([
    ['jpeg', [0.05, 0.5, 0.9, 0.99]],
    ['png', [0.05, 0.5, 0.9, 0.99]],
    ['webp', [0.05, 0.5, 0.9, 0.99]],
  ] as const)('a truncated %s is refused wherever it was cut', async (format, cuts) => {
    const whole = await noise().toFormat(format).toBuffer();
    await expect(images.normalise('proj_1', whole)).resolves.toMatchObject({ width: 400 });
    for (const cut of cuts) {
      const part = whole.subarray(0, Math.floor(whole.length * cut));
      await expect(images.normalise('proj_1', part), `cut at ${cut}`).rejects.toEqual(refusedAs('image_undecodable'));
    }
  });

  it.each([
    ['more pixels than allowed (before anything is decoded)', claimingPng(50_000, 50_000), 'image_too_large'],
    ['more bytes than allowed', Buffer.alloc(20_000_001), 'image_too_large'],
    ['a side that is too long', claimingPng(6001, 3000), 'image_bad_dimensions'],
    ['missing pixels', claimingPng(5000, 5000), 'image_undecodable'],
    [
      'a script behind a JPEG signature',
      Buffer.from('\u00ff\u00d8\u00ff\u00e0<svg onload="x"/>', 'latin1'),
      'image_undecodable',
    ],
  ])('an image with %s is refused', async (_name, bytes, code) => {
    await expect(images.normalise('proj_1', bytes)).rejects.toEqual(refusedAs(code));
  });

  it.each([
    [299, 400],
    [400, 299],
    [300, 751],
    [751, 300],
  ])('%i×%i is too small or too narrow, while 300×750 is not', async (width, height) => {
    await expect(images.normalise('proj_1', await plain(width, height).png().toBuffer())).rejects.toEqual(
      refusedAs('image_bad_dimensions'),
    );
    await expect(images.normalise('proj_1', await plain(300, 750).png().toBuffer())).resolves.toMatchObject({
      width: 300,
    });
  });
});

describe('a refused image', () => {
  it.each([
    [299, 400, 'The image has 299x400 pixels. Each side must have 300 to 6000 pixels'],
    [6000, 6700, 'The image has 6000x6700 pixels. The limit is 40 megapixels.'],
  ])('of %i×%i pixels is refused with its measures', async (width, height, message) => {
    await expect(images.normalise('proj_1', claimingPng(width, height))).rejects.toThrow(message);
  });

  it('of too many bytes is refused with the limit', async () => {
    await expect(images.normalise('proj_1', Buffer.alloc(20_000_001))).rejects.toThrow(
      'The image must be at most 20 MB.',
    );
  });
});

describe('fitted images', () => {
  const size = { width: 480, height: 480 };

  it.each([
    ['crop', [0, 255, 0], [0, 255, 0]],
    ['pad', [255, 0, 0], [0, 0, 0]],
    ['stretch', [255, 0, 0], [0, 255, 0]],
  ] as const)('%s gives exactly the requested size', async (fit, atLeft, atTop) => {
    const fitted = await images.fit('proj_1', await wide(), { ...size, fit });
    expect(await sharp(fitted).metadata()).toMatchObject({ ...size, format: 'png', channels: 3 });
    expect(await pixel(fitted, 10, 240)).toEqual(atLeft);
    expect(await pixel(fitted, 240, 10)).toEqual(atTop);
  });
});
