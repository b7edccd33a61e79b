import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { testSeed } from './seeded-random.ts';

// A setup file of Vitest: property tests generate the same cases in each run with the same TEST_SEED. Other files do not
// load fast-check, which would cost each of them a tenth of a second.
const { testPath } = expect.getState();
if (testPath !== undefined && readFileSync(testPath, 'utf8').includes("from 'fast-check'")) {
  const { configureGlobal } = await import('fast-check');
  configureGlobal({ seed: testSeed });
}
