import { defineConfig } from 'vitest/config';

// The clients' packages are built for others; here everybody takes their sources. `module`, which Vite would add, leads to
// builds for bundlers that Node cannot load.
const conditions = ['kinora-source', 'node', 'development|production'];

/** What both kinds of walks have in common. */
const walks = { globalSetup: ['e2e/world-setup.ts'], testTimeout: 300_000, hookTimeout: 300_000 };
const alone = ['life', 'operator', 'outages'].map((name) => `e2e/${name}.e2e.ts`);

export default defineConfig({
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      {
        // Pure or self-contained: no stack needed, part of `npm run check`.
        test: {
          name: 'unit',
          // Boxes, images and videos are real; on a busy machine they take their time. The limit only ends what hangs.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // By itself vitest leaves one core of two idle.
          maxWorkers: '100%',
          include: [
            'docs/guides/*.test.ts',
            'sdk/src/**/*.test.ts',
            'cli/src/**/*.test.ts',
            'integrations/*/src/**/*.test.ts',
            'animatic/**/*.test.ts',
            'boxes/src/**/*.test.ts',
            'server/src/**/*.test.ts',
            'scripts/**/*.test.ts',
            'stack/src/**/*.test.ts',
            'proofs/**/*.test.ts',
          ],
          exclude: ['**/*.stack.test.ts', '**/*.engine.test.ts'],
        },
      },
      {
        // Against a real Postgres, Temporal and S3, started for this run on ports of its own.
        test: {
          name: 'stack',
          include: ['server/src/**/*.stack.test.ts'],
          globalSetup: ['stack/src/harness/test-stack.ts'],
          // They mostly wait for the stack, so more of them than there are cores run side by side.
          maxWorkers: 4,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Against real inference servers on the CPU, started by the tests that need them, one at a time.
        test: {
          name: 'engines',
          include: ['server/src/**/*.engine.test.ts', 'stack/src/**/*.engine.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
      {
        // Walks that leave each other alone, in two lanes: they mostly wait for processes and videos.
        test: {
          ...walks,
          name: 'e2e',
          include: ['e2e/**/*.e2e.ts'],
          exclude: alone,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        // Walks that stop parts of the installation, or count what the whole of it does, one after the other.
        test: { ...walks, name: 'e2e-alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
