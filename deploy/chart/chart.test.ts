import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import schema from './values.schema.json' with { type: 'json' };

// Rules that need no helm. chart.static.ts renders the chart.

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');
const example = read('../../.env.example').split('# --- kinora-animatic')[0] ?? '';
const settings = Array.from(example.matchAll(/^(#.*)\n#?(KINORA_\w+)=/gm), ([, doc = '', name = '']) => ({
  doc,
  name,
}));
const helpers = read('templates/_helpers.tpl');

describe('the settings of .env.example', () => {
  /** Settings that production refuses. */
  const neverSet = ['KINORA_FAILPOINTS'];

  test('each have one place in the values: the chart sets them, or `settings` may', () => {
    const setByChart = `${helpers}${read('templates/worker/deployment.yaml')}`;
    const chosen = settings.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(setByChart)).map(({ name }) => name);
    const free = Object.keys(schema.definitions.settings.properties);
    expect(settings.length).toBeGreaterThan(50);
    expect([...chosen, ...free, ...neverSet].sort()).toEqual(settings.map(({ name }) => name).sort());
  });

  test('that are secret are all under `secrets`', () => {
    const secret = settings.filter(({ doc, name }) => doc.includes(`${name}_FILE can name a file`));
    const inChart = Array.from(helpers.matchAll(/^(\w+): (KINORA_\w+)$/gm), ([, value = '', name = '']) => ({
      value,
      name,
    }));
    const secretsInChart = inChart.filter(({ value }) => value in schema.properties.secrets.properties);
    expect(secretsInChart.map(({ name }) => name).sort()).toEqual(secret.map(({ name }) => name).sort());
    expect(Object.keys(schema.properties.secrets.properties)).toHaveLength(secret.length);
  });
});

describe('the images that the chart runs', () => {
  const dockerfile = read('../images/Dockerfile');

  test('have the user, the folder and the arguments that the chart relies on', () => {
    const [, user, group] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? [];
    expect(read('values.yaml')).toContain(`  runAsUser: ${user}\n  runAsGroup: ${group}\n  fsGroup: ${group}\n`);
    // `args` of the chart come after the entry point, and NOTES.txt names the program for `kubectl exec`.
    expect(dockerfile).toMatch(/^ENTRYPOINT \["\/usr\/bin\/tini", "--", "\/opt\/kinora\/main\.js"\]$/m);
    expect(read('templates/NOTES.txt')).toContain('kinora-server doctor');
  });

  test('are built for a release from targets that exist', () => {
    const workflow = read('../../.github/workflows/release.yml');
    const [, names = ''] = /^ +image: \[(.*)\]$/m.exec(workflow) ?? [];
    for (const name of names.split(', ')) expect(dockerfile).toMatch(new RegExp(`^FROM \\w+ AS ${name}$`, 'm'));
    expect(workflow).toContain('--file deploy/images/Dockerfile');
  });
});
