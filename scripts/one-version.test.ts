import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import serverPackage from '../server/package.json' with { type: 'json' };
import { projectFiles, repository } from './project-files.fixture.ts';
import { versionsIn, withVersion } from './version-places.ts';

const files = projectFiles('*.json', '*.md', '*.ts', '*.yaml', '*.yml', '*.env', '*Dockerfile')
  .filter((path) => path !== 'scripts/one-version.test.ts')
  .map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') }));
const found = files.flatMap(({ path, text }) => versionsIn(path, text).map((version) => ({ path, version })));

describe('packages, images and the chart have one version', () => {
  test('which is the same in every place', () => {
    expect(found.filter(({ version }) => version !== serverPackage.version)).toEqual([]);
  });

  test.each([
    ...projectFiles('*/package.json', 'integrations/*/package.json').filter((path) => !path.startsWith('scripts/')),
    'package-lock.json',
    'openapi.json',
    'integrations/ai-sdk/src/version.ts',
    'deploy/chart/Chart.yaml',
    'deploy/images/Dockerfile',
    'docs/install.md',
  ])('%s has it', (path) => {
    expect(found.map((place) => place.path)).toContain(path);
  });

  test('which scripts/set-version.ts changes everywhere', () => {
    const changed = files.flatMap(({ path, text }) => versionsIn(path, withVersion(path, text, '9.8.7-beta.6')));
    expect(changed).toHaveLength(found.length);
    expect(new Set(changed)).toEqual(new Set(['9.8.7-beta.6']));
  });
});

test('versions of other programs stay as they are', () => {
  const text = 'kinora-comfyui:0.33.0, kinora-0.1.0.tgz, kinora-server:0.1.0, 10.1.0.1, ffmpeg 5.1.9\n';
  expect(versionsIn('deploy/compose/compose.yaml', text)).toEqual(['0.1.0', '0.1.0']);
  expect(versionsIn('package.json', '{\n  "devDependencies": {\n    "vitest": "5.1.0"\n  }\n}\n')).toEqual([]);
});
