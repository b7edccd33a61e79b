import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { expect, it } from 'vitest';
import { removeStaleScratch, withScratchFolder } from './scratch.ts';

const root = temporaryFolder('scratch');

it('a scratch folder is deleted after the work, even if the work fails', async () => {
  const work = withScratchFolder(join(root, 'made-when-needed'), async (folder) => {
    await writeFile(join(folder, 'file'), 'x');
    throw new Error('the work fails');
  });
  await expect(work).rejects.toThrow('the work fails');
  expect(await readdir(join(root, 'made-when-needed'))).toEqual([]);
});

it('scratch folders that a killed process left behind are removed by age, and nothing else is', async () => {
  const place = join(root, 'left');
  for (const name of ['scratch-old', 'scratch-new', 'other-old']) await mkdir(join(place, name), { recursive: true });
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
  for (const name of ['scratch-old', 'other-old']) await utimes(join(place, name), twoDaysAgo, twoDaysAgo);
  expect(await removeStaleScratch(place)).toBe(1);
  expect((await readdir(place)).sort()).toEqual(['other-old', 'scratch-new']);
  expect(await removeStaleScratch(join(root, 'missing'))).toBe(0);
});
