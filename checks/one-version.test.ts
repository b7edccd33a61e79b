import { describe, expect, test } from 'vitest';
import { versionsIn, withVersion } from '../scripts/version-places.ts';
import serverPackage from '../server/package.json' with { type: 'json' };
import { projectFiles, readText } from './project-files.fixture.ts';

const files = projectFiles('*.json', '*.md', '*.ts', '*.yaml', '*.yml', '*.env', '*Dockerfile')
  .filter((path) => path !== 'checks/one-version.test.ts')
  .map((path) => ({ path, text: readText(path) }));
const found = files.flatMap(({ path, text }) => versionsIn(path, text).map((version) => ({ path, version })));

describe('packages, images and the chart have one version', () => {
  test('which is the same in every place', () => {
    expect(found.filter(({ version }) => version !== serverPackage.version)).toEqual([]);
  });

  test('which every package, the chart, the images and the documents have', () => {
    const places = [
      ...projectFiles('*/package.json', 'integrations/*/package.json').filter((path) => !path.startsWith('scripts/')),
      'package-lock.json',
      'openapi.json',
      'integrations/ai-sdk/src/version.ts',
      'deploy/chart/Chart.yaml',
      'deploy/images/Dockerfile',
      'docs/install.md',
    ];
    const having = new Set(found.map(({ path }) => path));
    expect(places.filter((path) => !having.has(path))).toEqual([]);
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
