import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gapsOf } from '../server/src/domain/catalogue.ts';
import { parseModelsFile } from '../server/src/engines/models-file/models-file.ts';
import { repository } from './project-files.fixture.ts';

const deploy = join(repository, 'deploy');
const folder = join(repository, 'docs/engines');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');
const read = (page: string): string => readFileSync(join(folder, page), 'utf8');

test('there is a page for each server and each family of models', () => {
  expect(pages.toSorted()).toEqual(['cog-wan.md', 'comfyui.md', 'hunyuan.md', 'ltx.md', 'sglang.md', 'vllm-omni.md']);
});

test.each(pages)('%s has a models file that the service loads, with a real engine and no gaps', (page) => {
  const files = [...read(page).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  expect(files).toHaveLength(1);
  for (const text of files) {
    const { catalogue, endpoints } = parseModelsFile(text, {
      tokens: {},
      readNamedFile: (name) => readFileSync(join(deploy, name), 'utf8'),
    });
    expect(gapsOf(catalogue)).toEqual([]);
    expect(endpoints.length).toBeGreaterThan(0);
  }
});

test.each(pages)('%s says what hardware and licence it needs, how to start it, and what was not tested', (page) => {
  const text = read(page);
  for (const heading of [
    'Hardware',
    'Licence of the weights',
    'Start it',
    'Models file',
    'Known limits',
    'Tested here',
  ])
    expect(text).toContain(`\n## ${heading}\n`);
  expect(text.replaceAll('\n', ' ')).toContain('**Not tested:**');
});
