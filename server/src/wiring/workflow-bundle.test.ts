import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@kinora/boxes/temporary-folder.fixture';
import { expect, test } from 'vitest';
import { hashSources, openWorkflowBundle } from './workflow-bundle.ts';

const folder = temporaryFolder('workflow-bundle');

test('the workflows are bundled once, and later starts read the same file', async () => {
  const cache = join(folder, 'cache');
  const first = await openWorkflowBundle(cache);
  const second = await openWorkflowBundle(cache);
  expect(second).toEqual(first);
  const [name = '', ...others] = await readdir(cache);
  expect(others).toEqual([]);
  const code = await readFile(join(cache, name), 'utf8');
  expect(code).toContain('generateVideo');
  expect(code).toContain('deliverWebhook');
});

test('an installation that cannot be written to gets its bundle too', async () => {
  await writeFile(join(folder, 'a-file'), '');
  expect(await openWorkflowBundle(join(folder, 'a-file', 'cache'))).toHaveProperty('code');
});

test('a bundle is not used after its sources have changed', async () => {
  const source = join(folder, 'a-workflow.ts');
  await writeFile(source, 'export const seconds = 1;');
  const before = await hashSources([folder]);
  expect(await hashSources([folder])).toBe(before);
  await writeFile(source, 'export const seconds = 2;');
  expect(await hashSources([folder])).not.toBe(before);
});
