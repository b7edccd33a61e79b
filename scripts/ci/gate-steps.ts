import type { Step } from './step.ts';

const vitest = (...projects: string[]) =>
  ['vitest', 'run', ...projects.flatMap((project) => ['--project', project])] as const;

const prove = (name: string) => ['node', 'proofs/prove.ts', name, '--tier', 'gate'] as const;

/** Everything that a change must pass, in the order of each lane. The lanes take about the same time. */
export const gateSteps: readonly Step[] = [
  // Without the services of the registries it passes and says what was not checked.
  { name: 'supply chain', lane: 'a', command: ['node', 'scripts/check-supply-chain.ts'], reports: 'status' },
  {
    name: 'static checks',
    lane: 'a',
    command: ['node', 'scripts/check.ts', '--static'],
    reports: 'ours',
    isDeterministic: true,
  },
  {
    name: 'planted faults',
    lane: 'a',
    command: ['node', 'scripts/mutants/mutants.ts', '--compile'],
    reports: 'ours',
    isDeterministic: true,
  },
  { name: 'unit tests', lane: 'a', command: vitest('unit'), reports: 'vitest', needs: ['programs', 'runtimes'] },
  { name: 'hostile input', lane: 'a', command: vitest('hostile'), reports: 'vitest', needs: ['programs'] },
  { name: 'packages', lane: 'a', command: vitest('packages'), reports: 'vitest', needs: ['runtimes'] },
  {
    name: 'deploy files',
    lane: 'a',
    command: vitest('deploy'),
    reports: 'vitest',
    needs: ['chart', 'compose'],
    isDeterministic: true,
  },

  {
    name: 'e2e',
    lane: 'b',
    command: vitest('e2e', 'e2e-alone'),
    reports: 'vitest',
    runsBuild: true,
    needs: ['programs', 'browsers', 'python', 'runtimes'],
  },
  { name: 'tests against the stack', lane: 'b', command: vitest('stack'), reports: 'vitest', needs: ['programs'] },

  {
    name: 'console walk',
    lane: 'c',
    command: vitest('console'),
    reports: 'vitest',
    runsBuild: true,
    needs: ['programs', 'browsers', 'engines'],
  },
  {
    name: 'proofs on a shared stack',
    lane: 'c',
    command: ['node', 'proofs/prove.ts', '--gate=shared'],
    reports: 'ours',
    runsBuild: true,
    needs: ['programs'],
  },
  {
    name: 'simulation',
    lane: 'c',
    command: ['node', 'simulation/simulate.ts'],
    reports: 'ours',
    isDeterministic: true,
  },
  {
    name: 'fault walk',
    lane: 'c',
    command: prove('fault-walk'),
    reports: 'ours',
    runsBuild: true,
    needs: ['programs'],
  },

  {
    name: 'cost of a task',
    lane: 'alone',
    command: prove('cost'),
    reports: 'ours',
    runsBuild: true,
    isDeterministic: true,
  },
  {
    name: 'growth of queries',
    lane: 'alone',
    command: ['node', 'bench/bench.ts', 'growth', '--quick'],
    reports: 'ours',
    isDeterministic: true,
  },
];
