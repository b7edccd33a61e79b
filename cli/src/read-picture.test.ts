import { truncate } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { png, useFolder } from './picture-files.fixture.ts';
import { readPicture } from './read-picture.ts';

const files = useFolder();
const { put } = files;
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
  await expect(readPicture(files.folder)).rejects.toThrow('is not a file');
  await expect(readPicture('/dev/zero')).rejects.toThrow('is not a file');
  const huge = await put('huge.png', png);
  await truncate(huge, 20_000_001);
  await expect(readPicture(huge)).rejects.toThrow('larger than 20 MB');
});

test('a missing file is named, with advice', async () => {
  await expect(readPicture('boat.png')).rejects.toThrow('There is no picture boat.png on this computer. Give its path');
});
