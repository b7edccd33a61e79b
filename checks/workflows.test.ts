import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectFiles, readText } from './project-files.fixture.ts';

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<
    string,
    { permissions?: Record<string, string>; steps: { uses?: string; run?: string; with?: object }[] }
  >;
}

const paths = projectFiles('.github/workflows/*.yml');

test('there are workflows for CI and for releases', () => {
  expect(paths).toEqual(['.github/workflows/ci.yml', '.github/workflows/release.yml']);
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
