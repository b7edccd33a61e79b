import { configureGlobal } from 'fast-check';
import { testSeed } from './seeded-random.ts';

// A setup file of Vitest: property tests generate the same cases in each run with the same TEST_SEED.
configureGlobal({ seed: testSeed });
