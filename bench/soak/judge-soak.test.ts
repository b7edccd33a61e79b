import { expect, test } from 'vitest';
import { objectionsTo } from './judge-soak.ts';
import { steadySamples } from './soak-samples.fixture.ts';

const steady = () => ({
  samples: steadySamples(240),
  sent: 7_200,
  missed: 0,
  completed: 7_200,
  errors: [] as string[],
});

test('a run that swings but does not grow has no objections', () => {
  expect(objectionsTo(steady())).toEqual([]);
});

test('memory that grows only in the first half is not a leak', () => {
  const run = steady();
  for (const [index, sample] of run.samples.entries()) sample.megabytes.worker = 200 + Math.min(index, 100);
  expect(objectionsTo(run)).toEqual([]);
});

test('memory that swings between collections without leaving more behind is not a leak', () => {
  const run = steady();
  for (const [index, sample] of run.samples.entries()) sample.megabytes.api = 200 + 15 * (index % 17);
  expect(objectionsTo(run)).toEqual([]);
});

const falsified: [name: string, falsify: (run: ReturnType<typeof steady>) => void, objection: RegExp][] = [
  [
    'memory that grows by 1 MB per minute',
    ({ samples }) => samples.forEach((sample, index) => void (sample.megabytes.api += index / 4)),
    /api: MB grew by 29/,
  ],
  [
    'memory of which every collection leaves more behind',
    ({ samples }) =>
      samples.forEach((sample, index) => void (sample.megabytes.api = 200 + 15 * (index % 17) + index / 4)),
    /api: MB grew by 2\d/,
  ],
  [
    'a descriptor that leaks every two minutes',
    ({ samples }) => samples.forEach((sample, index) => void (sample.descriptors.worker += index / 8)),
    /worker: descriptors grew/,
  ],
  [
    'a queue table that keeps its dead rows',
    ({ samples }) => samples.forEach((sample, index) => void (sample.transientMegabytes += index / 40)),
    /transient tables: MB grew/,
  ],
  [
    'a role that was restarted',
    ({ samples }) => samples.slice(7, 8).forEach((sample) => void (sample.megabytes.relay = 0)),
    /relay was not running/,
  ],
  ['tasks that were not completed', (run) => void (run.completed -= 1), /only 7199 of 7200 tasks/],
  ['a load that was left out', (run) => void (run.missed = 2_000), /too slow to send 2000 of 9200 tasks/],
  ['an error', ({ errors }) => void errors.push('task_1 ended with video.failed'), /1 tasks went wrong/],
  ['a run without tasks', (run) => void Object.assign(run, { sent: 0, completed: 0 }), /too short/],
];

test.each(falsified)('the judge of the soak objects to %s', (_name, falsify, objection) => {
  const run = steady();
  falsify(run);
  expect(objectionsTo(run).join('\n')).toMatch(objection);
});
