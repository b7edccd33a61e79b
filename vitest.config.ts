import { defineConfig } from 'vitest/config';

// Our client packages are built for publishing, but tests import their sources (`kinora-source`). The condition
// `module`, which Vite would add, is left out: it selects builds for bundlers, which Node cannot load.
const conditions = ['kinora-source', 'node', 'development|production'];

/** How long `expect.poll` waits for a condition. Vitest's own limit of 1 s fails by chance on a busy machine. */
const patience = { expect: { poll: { timeout: 60_000 } } };

/** Settings that both e2e projects share. */
const e2eSettings = {
  ...patience,
  globalSetup: ['e2e/world-setup.ts'],
  testTimeout: 300_000,
  hookTimeout: 300_000,
};
const alone = ['doctor', 'life', 'operator', 'outages'].map((name) => `e2e/${name}.e2e.ts`);

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        // Tests that need no stack; `npm run check` runs them.
        test: {
          name: 'unit',
          ...patience,
          // Tests use real boxes, images and videos, which are slow on a busy machine. The limit is for hanging tests.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // By default Vitest leaves one of two cores idle.
          maxWorkers: '100%',
          include: [
            'docs/**/*.test.ts',
            'sdk/src/**/*.test.ts',
            'console/src/**/*.test.ts',
            'cli/src/**/*.test.ts',
            'integrations/*/src/**/*.test.ts',
            'animatic/**/*.test.ts',
            'boxes/src/**/*.test.ts',
            'server/src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'deploy/**/*.test.ts',
            'stack/src/**/*.test.ts',
            'proofs/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          exclude: ['**/*.stack.test.ts', '**/*.engine.test.ts'],
        },
      },
      {
        // Tests with a real Postgres, Temporal and S3, which are started for this run on free ports.
        test: {
          name: 'stack',
          ...patience,
          include: ['server/src/**/*.stack.test.ts'],
          globalSetup: ['stack/src/harness/test-stack.ts'],
          // These tests mostly wait for the stack, so more of them run in parallel than there are cores.
          maxWorkers: 4,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Tests with real inference servers on the CPU, one at a time. The tests that need a server start it.
        test: {
          name: 'engines',
          ...patience,
          include: ['server/src/**/*.engine.test.ts', 'stack/src/**/*.engine.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        // Tests of what an operator installs: images, the compose file and the chart. `npm run package` runs them.
        test: {
          name: 'package',
          ...patience,
          include: ['deploy/**/*.package.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          fileParallelism: false,
        },
      },
      {
        // Tests of the console in a browser, against an installation of its own. `npm run walk` runs them.
        test: {
          name: 'console',
          ...patience,
          include: ['e2e/console/*.console.ts'],
          globalSetup: ['e2e/console/console-world-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          // Some stop a role, and some measure time.
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
