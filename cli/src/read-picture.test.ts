import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readPicture } from './read-picture.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-picture-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const put = async (name: string, bytes: Uint8Array | string) => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
};
const png = Buffer.from('\u0089PNG\r\n\u001a\nand the rest', 'latin1');
const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1');

test('a local picture is read', async () => {
  expect(await readPicture(await put('boat.png', png))).toEqual(png);
  expect(await readPicture(await put('boat.webp', webp))).toEqual(webp);
});

test('a file that is not a picture is never sent, whatever its name', async () => {
  const path = await put('secret.png', 'PRIVATE KEY');
  await expect(readPicture(path)).rejects.toThrow('is not a JPEG, PNG or WebP picture');
});

test('folders, devices and huge files are not read', async () => {
  await expect(readPicture(folder)).rejects.toThrow('is not a file');
  await expect(readPicture('/dev/zero')).rejects.toThrow('is not a file');
  const huge = await put('huge.png', png);
  await truncate(huge, 20_000_001);
  await expect(readPicture(huge)).rejects.toThrow('larger than 20 MB');
});

test('a missing file is named, with advice', async () => {
  await expect(readPicture('boat.png')).rejects.toThrow('There is no picture boat.png on this computer. Give its path');
});
