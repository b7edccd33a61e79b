import { mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { useFolder } from '../picture-files.fixture.ts';
import { saveInFolder } from './save-in-folder.ts';

const files = useFolder();
const download = (path: string) => writeFile(path, 'the video', { flag: 'wx' });
const mustNotDownload = () => Promise.reject(new Error('nothing may be downloaded'));

/** Returns an empty folder that the user has named. */
async function newFolder(name: string): Promise<string> {
  const folder = join(files.folder, name);
  await mkdir(folder);
  return folder;
}

test('a video is saved under a new name in the folder, which is created, and its absolute path is returned', async () => {
  const folder = join(files.folder, 'new/folder');
  const path = await saveInFolder(folder, 'Boot im Nebel (2).MP4', download);
  expect(path).toBe(join(folder, 'Boot im Nebel (2).mp4'));
  expect(await readFile(path, 'utf8')).toBe('the video');
  expect(await readdir(folder)).toEqual([basename(path)]);
});

test('without a folder nothing is saved, and the error names the option', async () => {
  await expect(saveInFolder(undefined, 'boat', mustNotDownload)).rejects.toThrow('add --save-folder <folder>');
});

test.each([
  '/etc/boat.mp4',
  '../boat.mp4',
  '..',
  '.',
  '.bashrc',
  '.boat.mp4',
  '~/boat.mp4',
  'films/boat.mp4',
  'films\\boat.mp4',
  'C:boat.mp4',
  'file:///tmp/boat.mp4',
  'boat\u0000.mp4',
  'boat\n.mp4',
  'boat\u202e.mp4',
  '-boat.mp4',
  '%2e%2e%2fboat.mp4',
  '',
  ' ',
  '.mp4',
])('the name %j is refused before anything is downloaded', async (name) => {
  const folder = join(files.folder, 'refused');
  await expect(saveInFolder(folder, name, mustNotDownload)).rejects.toThrow('is not a plain name');
});

test('a name that is too long is refused', async () => {
  await expect(saveInFolder(files.folder, 'é'.repeat(100), mustNotDownload)).rejects.toThrow('too long');
});

test('a saved file is always called .mp4, so that no other program runs it', async () => {
  const folder = await newFolder('extensions');
  expect(await saveInFolder(folder, 'boat.sh', download)).toBe(join(folder, 'boat.sh.mp4'));
});

test('an existing file, folder or link is never replaced or followed', async () => {
  const folder = await newFolder('taken');
  const outside = await files.put('outside.txt', 'private');
  await writeFile(join(folder, 'file.mp4'), 'older');
  await mkdir(join(folder, 'folder.mp4'));
  await symlink(outside, join(folder, 'link.mp4'));
  await symlink(join(files.folder, 'nowhere'), join(folder, 'dangling.mp4'));
  for (const name of ['file', 'folder', 'link', 'dangling']) {
    await expect(saveInFolder(folder, name, mustNotDownload)).rejects.toThrow('already exists. Choose another name');
  }
  expect(await readFile(join(folder, 'file.mp4'), 'utf8')).toBe('older');
  expect(await readFile(outside, 'utf8')).toBe('private');
  expect(await readlink(join(folder, 'dangling.mp4'))).toBe(join(files.folder, 'nowhere'));
});

test('a file that another program creates during the download is kept', async () => {
  const folder = await newFolder('race');
  const saving = saveInFolder(folder, 'boat', async (path) => {
    await download(path);
    await writeFile(join(folder, 'boat.mp4'), 'another');
  });
  await expect(saving).rejects.toThrow('already exists');
  expect(await readFile(join(folder, 'boat.mp4'), 'utf8')).toBe('another');
  expect(await readdir(folder)).toEqual(['boat.mp4']);
});

test('a download that fails leaves nothing behind', async () => {
  const folder = await newFolder('broken');
  const saving = saveInFolder(folder, 'boat', async (path) => {
    await download(path);
    throw new Error('the connection broke');
  });
  await expect(saving).rejects.toThrow('the connection broke');
  expect(await readdir(folder)).toEqual([]);
});

test('a folder that the user named through a link is used', async () => {
  const folder = await newFolder('real');
  await symlink(folder, join(files.folder, 'shortcut'));
  expect(await saveInFolder(join(files.folder, 'shortcut'), 'boat', download)).toBe(join(folder, 'boat.mp4'));
});

test('a save folder that is a file is refused', async () => {
  const path = await files.put('not-a-folder', '');
  await expect(saveInFolder(path, 'boat', mustNotDownload)).rejects.toThrow('--save-folder cannot be used');
  expect((await stat(path)).isFile()).toBe(true);
});
