import { expect, it } from 'vitest';
import { costOf, mostVideosPerDay, planInstallation } from './installation-plan.ts';

const load = { videosPerDay: 100_000, gpus: 100, renderSeconds: 60, videoMegabytes: 5 };

it.each([
  ['one GPU fits into one cell with one process of each role', { gpus: 1, videosPerDay: 1_440 }, 1, [1, 1, 1, 1]],
  ['a hundred GPUs do not stop with one machine', {}, 1, [2, 2, 2, 1]],
  ['a worker carries a thousand endpoints', { gpus: 5_000 }, 1, [2, 2, 5, 1]],
  ['ten thousand endpoints fill a cell', { gpus: 10_001 }, 2, [2, 2, 6, 1]],
])('%s', (_name, change, cells, processes) => {
  const plan = planInstallation({ ...load, ...change });
  expect([plan.cells, Object.values(plan.perCell.processes)]).toEqual([cells, processes]);
});

it('three million videos a day fill a cell', () => {
  const plan = { ...load, gpus: 9_000, renderSeconds: 20 };
  expect(planInstallation({ ...plan, videosPerDay: 3_000_000 }).cells).toBe(1);
  expect(planInstallation({ ...plan, videosPerDay: 3_000_001 }).cells).toBe(2);
});

it('GPUs render no more than their time allows', () => {
  expect(mostVideosPerDay({ gpus: 10, renderSeconds: 60 })).toBe(14_400);
});

it('every cost has been measured, and a video is what costs most', () => {
  const one = { installationSeconds: 0, endpointSeconds: 0, jobSeconds: 0, videos: 0 };
  const free = (['installationSeconds', 'jobSeconds', 'videos'] as const).filter((name) => {
    const { worker, walBytes, commits, statements } = costOf({ ...one, [name]: 1 });
    return Math.min(worker, walBytes, commits, statements) <= 0;
  });
  expect(free).toEqual([]);
  expect(costOf({ ...one, videos: 1 }).walBytes).toBeGreaterThan(costOf({ ...one, jobSeconds: 1 }).walBytes);
});

it('the same videos cost more with longer renders, and the bucket stays the same', () => {
  const [short, long] = [planInstallation({ ...load, renderSeconds: 2 }), planInstallation(load)];
  expect(long.perCell.cores).toBeGreaterThan(short.perCell.cores);
  expect(long.bucketTerabytes).toBe(short.bucketTerabytes);
  expect(long.bucketTerabytes).toBeCloseTo(3.5);
});
