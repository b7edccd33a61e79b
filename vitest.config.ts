import { defineConfig } from 'vitest/config';
import { hangLimitMilliseconds } from './stack/src/hang-limit.ts';
import { testSeed } from './stack/src/harness/seeded-random.ts';

// Our client packages are built for publishing, but tests import their sources (`kinora-source`). The condition
// `module`, which Vite would add, is left out: it selects builds for bundlers, which Node cannot load.
const conditions = ['kinora-source', 'node', 'development|production'];

/** Limits of all tests. They only end what hangs: a test may wait for two conditions, one of which never becomes true. */
const limits = {
  expect: { poll: { timeout: hangLimitMilliseconds } },
  testTimeout: 2 * hangLimitMilliseconds,
  hookTimeout: 2 * hangLimitMilliseconds,
  setupFiles: ['stack/src/harness/seed-property-tests.ts'],
};

console.log(`TEST_SEED=${testSeed} repeats the random choices of this run`);

/** Settings that both e2e projects share. */
const e2eSettings = { ...limits, globalSetup: ['e2e/world-setup.ts'] };
const alone = ['doctor', 'life', 'operator', 'outages'].map((name) => `e2e/${name}.e2e.ts`);

/** Packs our packages and installs them, which takes too long for `npm run check`. */
const packages = 'checks/packages.test.ts';
/** Thousands of hostile addresses, images and responses, which also take too long. */
const hostile = ['addresses', 'images', 'responses'].map((name) => `server/src/**/hostile-${name}.test.ts`);

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    // Of an interrupted run; projects cannot have this limit. Stacks are wiped in it.
    teardownTimeout: 2 * hangLimitMilliseconds,
    projects: [
      {
        // Tests that need no stack; `npm run check` runs them.
        test: {
          name: 'unit',
          ...limits,
          // By default Vitest leaves one of two cores idle.
          maxWorkers: '100%',
          include: [
            'sdk/src/**/*.test.ts',
            'console/src/**/*.test.ts',
            'cli/src/**/*.test.ts',
            'integrations/*/src/**/*.test.ts',
            'animatic/**/*.test.ts',
            'boxes/src/**/*.test.ts',
            'server/src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'checks/**/*.test.ts',
            'deploy/**/*.test.ts',
            'stack/src/**/*.test.ts',
            'proofs/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          exclude: [...hostile, '**/*.stack.test.ts', '**/*.engine.test.ts', packages],
        },
      },
      {
        // Tests with a real Postgres, Temporal and S3, which are started for this run on free ports.
        test: {
          name: 'stack',
          ...limits,
          include: ['server/src/**/*.stack.test.ts'],
          globalSetup: ['stack/src/harness/test-stack.ts'],
          // These tests mostly wait for the stack, so more of them run in parallel than there are cores.
          maxWorkers: 4,
        },
      },
      {
        // Compares the simulated Temporal with the real one, whose time-outs last seconds: `.ci/nightly simulation`.
        test: {
          name: 'contract',
          ...limits,
          include: ['simulation/**/*.contract.ts'],
          globalSetup: ['stack/src/harness/test-stack.ts'],
        },
      },
      {
        // Tests with real inference servers on the CPU, one at a time. The tests that need a server start it.
        test: {
          name: 'engines',
          ...limits,
          include: ['server/src/**/*.engine.test.ts', 'stack/src/**/*.engine.test.ts'],
          fileParallelism: false,
        },
      },
      {
        // Hostile input against the function or adapter that takes it.
        test: { name: 'hostile', ...limits, include: hostile },
      },
      {
        // Tests of the packages for callers.
        test: { name: 'packages', ...limits, include: [packages] },
      },
      {
        // Tests of the chart, the compose files and the workflows of GitHub that start nothing of them.
        test: { name: 'deploy', ...limits, include: ['deploy/**/*.static.ts'] },
      },
      {
        // Tests that run what an operator installs: the images and the compose files. `npm run package` runs them.
        test: {
          name: 'package',
          ...limits,
          include: ['deploy/**/*.package.ts'],
          fileParallelism: false,
        },
      },
      {
        // Tests of the console in a browser, against an installation of its own. `npm run walk` runs them.
        test: {
          name: 'console',
          ...limits,
          include: ['e2e/console/*.console.ts'],
          globalSetup: ['e2e/console/console-world-setup.ts'],
          // Some stop a role or drain the engine that others use.
          fileParallelism: false,
        },
      },
      {
        // How fast the console is. What it measures decides nothing by day: `.ci/nightly` runs it.
        test: {
          name: 'console-speed',
          ...limits,
          include: ['e2e/console/*.measure.ts'],
          globalSetup: ['e2e/console/console-world-setup.ts'],
          fileParallelism: false,
        },
      },
      {
        // E2e tests that do not disturb each other, two files at a time: they mostly wait for processes and videos.
        test: {
          ...e2eSettings,
          name: 'e2e',
          include: ['e2e/**/*.e2e.ts'],
          exclude: alone,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // E2e tests that stop parts of the installation or count what all of it does; they run one after the other.
        test: { ...e2eSettings, name: 'e2e-alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
