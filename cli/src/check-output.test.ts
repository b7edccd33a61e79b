import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { checkOutput, outputNamedAfter } from './check-output.ts';
import { UsageError } from './exit-codes.ts';
import { temporaryFolder } from './temporary-folder.fixture.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
});

test('checking a writable path succeeds and leaves nothing behind', async () => {
  await checkOutput(join(folder, 'boat.mp4'), { isForced: false });
  expect(await readdir(folder)).toEqual([]);
});

test('a folder that does not exist is not created', async () => {
  const refused = checkOutput(join(folder, 'new', 'boat.mp4'), { isForced: false });
  await expect(refused).rejects.toThrow('new does not exist. Create it first.');
  expect(await readdir(folder)).toEqual([]);
});

test('a video and JSON cannot both go to stdout', async () => {
  await expect(checkOutput('-', { isForced: false, isJson: true })).rejects.toThrow('would both write to stdout');
});

test('checking a path leaves other files alone', async () => {
  await writeFile(join(folder, 'boat.mp4.part'), 'half');
  await checkOutput(join(folder, 'boat.mp4'), { isForced: false });
  expect(await readFile(join(folder, 'boat.mp4.part'), 'utf8')).toBe('half');
});

test('a path that cannot be written is rejected before a video is made', async () => {
  await writeFile(join(folder, 'there.mp4'), '');
  await mkdir(join(folder, 'videos'));
  const refused: [path: string, reason: string, isForced?: boolean][] = [
    [join(folder, 'there.mp4'), 'already exists'],
    [join(folder, 'videos'), 'is a folder', true],
    [join(folder, 'there.mp4', 'boat.mp4'), 'does not exist'],
    [join(folder, `${'x'.repeat(300)}.mp4`), 'cannot be written: ENAMETOOLONG'],
    // The file itself could have this name, but not the temporary one beside it.
    [join(folder, `${'x'.repeat(245)}.mp4`), 'cannot be written: ENAMETOOLONG'],
    [join(folder, 'a\0b.mp4'), 'cannot be written'],
    [join(folder, 'boat.mp4/'), 'cannot be written'],
    ['/dev/null', 'is not a file', true],
  ];
  for (const [path, reason, isForced = false] of refused) {
    const error = await checkOutput(path, { isForced }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(reason);
  }
});

test('a hostile service cannot choose the path of a video by the id of its task', async () => {
  const id = `task_${'0'.repeat(26)}`;
  expect(await outputNamedAfter(id, { isForced: false })).toBe(`${id}.mp4`);
  for (const bad of ['../../boat', '/tmp/boat', `${id}/../boat`, `task_${'0'.repeat(25)}/`, '']) {
    await expect(outputNamedAfter(bad, { isForced: false })).rejects.toThrow(UsageError);
  }
});
