import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { png, useFolder } from '../picture-files.fixture.ts';
import { readImage } from './read-image.ts';

const files = useFolder();
const { put } = files;

test.each(['https://example.com/a.png', 'data:image/png;base64,AAAA', `file_${'0'.repeat(26)}`])(
  '%s is passed to the service unchanged',
  async (image) => {
    expect(await readImage(image, [])).toBe(image);
  },
);

test('a picture in a shared folder is read, by path or by file URL', async () => {
  const path = await put('boat.png', png);
  expect(await readImage(path, ['/nonexistent', files.folder])).toEqual(png);
  expect(await readImage(pathToFileURL(path).href, [files.folder])).toEqual(png);
});

test('a picture elsewhere is never sent: another folder, a link, a hidden folder, or no folder at all', async () => {
  const path = await put('passport.png', png);
  const shared = join(files.folder, 'shared');
  await mkdir(join(shared, '.private'), { recursive: true });
  await symlink(path, join(shared, 'link.png'));
  await put('shared/.private/secret.png', png);
  const refusal = 'is not in a folder that the user has shared';
  for (const image of [path, join(shared, '../passport.png'), join(shared, 'link.png'), `${shared}.png`]) {
    await expect(readImage(image, [shared])).rejects.toThrow(refusal);
  }
  await expect(readImage(join(shared, '.private/secret.png'), [shared])).rejects.toThrow(refusal);
  await expect(readImage(path, [])).rejects.toThrow('Add --picture-folder <folder>');
});
