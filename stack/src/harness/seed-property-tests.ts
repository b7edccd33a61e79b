import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { testSeed } from './seeded-random.ts';

// Seeds property tests by TEST_SEED, only where fast-check is used: loading it costs each file a tenth of a second.
const { testPath } = expect.getState();
if (testPath !== undefined && readFileSync(testPath, 'utf8').includes("from 'fast-check'")) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: testSeed });
}
