import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readImage } from './read-image.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-image-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const put = async (name: string, bytes: Uint8Array | string) => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
};
const png = Buffer.from('\u0089PNG\r\n\u001a\nand the rest', 'latin1');

test.each(['https://example.com/a.png', 'data:image/png;base64,AAAA', `file_${'0'.repeat(26)}`])(
  '%s is passed to the service unchanged',
  async (image) => {
    expect(await readImage(image)).toBe(image);
  },
);

test('a local image is read, by path or by file URL', async () => {
  const path = await put('boat.png', png);
  expect(await readImage(path)).toEqual(png);
  expect(await readImage(pathToFileURL(path).href)).toEqual(png);
  const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
  expect(await readImage(await put('boat.webp', webp))).toEqual(webp);
});

test('a file that is not an image is never sent, whatever its name', async () => {
  await expect(readImage(await put('secret.png', 'PRIVATE KEY'))).rejects.toThrow('is not a JPEG, PNG or WebP picture');
});

test('folders, devices and huge files are not read', async () => {
  await expect(readImage(folder)).rejects.toThrow('is not a file');
  await expect(readImage('/dev/zero')).rejects.toThrow('is not a file');
  const huge = await put('huge.png', png);
  await truncate(huge, 20_000_001);
  await expect(readImage(huge)).rejects.toThrow('larger than 20 MB');
});

test('a missing file is named, with advice', async () => {
  await expect(readImage('boat.png')).rejects.toThrow(
    'there is no file boat.png on this computer. Give an absolute path',
  );
});
