import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectFiles, readText } from './project-files.fixture.ts';

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<
    string,
    { permissions?: Record<string, string>; needs?: string; steps: { uses?: string; run?: string; with?: object }[] }
  >;
}

const paths = projectFiles('.github/workflows/*.yml');

test('there are workflows for CI, for the nightly run and for releases', () => {
  expect(paths).toEqual(['ci', 'nightly', 'release'].map((name) => `.github/workflows/${name}.yml`));
});

test('every workflow that uses the cache of the tools has the same key', () => {
  const keys = paths.flatMap((path) => readText(path).match(/^ +key: tools-.*$/gm) ?? []);
  expect(keys.length).toBeGreaterThan(2);
  expect(new Set(keys).size).toBe(1);
});

test('nothing is published before the runs of CI and of the night are known to have passed', () => {
  const { jobs } = parse(readText('.github/workflows/release.yml')) as Workflow;
  const [check, ...others] = Object.entries(jobs);
  expect(check?.[0]).toBe('check');
  expect(check?.[1].steps.at(-1)?.run).toMatch(
    /for workflow in ci\.yml nightly\.yml[^]*--commit "\$GITHUB_SHA"[^]*exit 1/,
  );
  expect(others.filter(([, { needs }]) => needs === undefined || !(needs in jobs))).toEqual([]);
});

describe.each(paths)('%s', (path) => {
  const text = readText(path);
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test('pins every action to a commit, and names its version', () => {
    const lines = text.split('\n').filter((line) => line.includes('uses:'));
    expect(lines.length).toBe(steps.filter(({ uses }) => uses).length);
    expect(lines.filter((line) => !/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test('pins one action to one commit', () => {
    const actions = new Set(steps.flatMap(({ uses = '' }) => uses));
    const names = [...actions].map((action) => action.split('@')[0]);
    expect(names).toEqual([...new Set(names)]);
  });

  test('grants nothing but reading to all jobs, and more only to a job that declares it', () => {
    expect(permissions).toBeDefined();
    expect(Object.values(permissions ?? {}).filter((level) => level !== 'read')).toEqual([]);
    const declared = Object.values(jobs).filter((job) => job.permissions ?? permissions?.['contents']);
    expect(declared).toHaveLength(Object.keys(jobs).length);
  });

  test('puts no expression into a shell script, where its value could be code', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  test('leaves no token in the checkout', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    for (const { with: options } of checkouts) expect(options).toMatchObject({ 'persist-credentials': false });
    expect(checkouts).toHaveLength(Object.keys(jobs).length);
  });
});
