import { expect, it } from 'vitest';
import { checkPartHealth } from './part-health.ts';

const responding = { check: async () => undefined };
const failing = (error: Error) => ({
  check: async () => {
    throw error;
  },
});

it('each part is reported with the time that it took, and a failed one with what to do', async () => {
  // Only the checks of these parts are used.
  const parts = {
    db: responding,
    workflows: failing(Object.assign(new Error('refused'), { code: 5 })),
    storage: failing(new Error('connect ECONNREFUSED')),
  } as unknown as Parameters<typeof checkPartHealth>[0];
  expect(await checkPartHealth(parts)).toEqual([
    { part: 'postgres', status: 'ok', milliseconds: expect.any(Number), message: null },
    {
      part: 'temporal',
      status: 'failed',
      milliseconds: expect.any(Number),
      message: expect.stringMatching(/no namespace of this name\. Run `kinora-server namespace ensure`/),
    },
    {
      part: 'store',
      status: 'failed',
      milliseconds: expect.any(Number),
      message: expect.stringContaining('The store cannot be reached: connect ECONNREFUSED.'),
    },
  ]);
});
