import { expect, it } from 'vitest';
import { presentUsage } from './present-usage.ts';

const usage = {
  start: new Date('2026-11-14T00:00:00Z'),
  end: new Date('2026-11-16T00:00:00Z'),
  bucketSeconds: 86_400,
  groupBy: null,
  sums: [
    {
      start: new Date('2026-11-15T00:00:00Z'),
      group: null,
      tasks: 3,
      completed: 2,
      failed: 1,
      cancelled: 0,
      videoSeconds: 10,
      engineSeconds: 40.123_456,
      billableVideoSeconds: 10,
      waitingSeconds: { p50: 1.000_49, p90: 2, p99: 3 },
      renderingSeconds: null,
    },
  ],
};

it('usage has every bucket of the range, and an empty bucket has one result of zeros', () => {
  const { data, ...list } = presentUsage(usage);
  expect(list).toEqual({ object: 'list', first_id: null, last_id: null, has_more: false });
  expect(data.map(({ start, end }) => [start, end])).toEqual([
    [1794614400, 1794700800],
    [1794700800, 1794787200],
  ]);
  expect(data[0]?.results).toEqual([
    expect.objectContaining({ tasks: 0, video_seconds: 0, waiting_seconds: null, rendering_seconds: null }),
  ]);
  expect(data[1]?.results).toEqual([
    {
      model: null,
      key_id: null,
      code: null,
      tasks: 3,
      completed: 2,
      failed: 1,
      cancelled: 0,
      video_seconds: 10,
      engine_seconds: 40.123,
      billable_video_seconds: 10,
      waiting_seconds: { p50: 1, p90: 2, p99: 3 },
      rendering_seconds: null,
    },
  ]);
});

it('grouped usage has the group in its field, and a bucket without tasks has no results', () => {
  const [sum] = usage.sums;
  if (!sum) throw new Error('the usage has no sum');
  for (const [groupBy, field] of [
    ['model', 'model'],
    ['key', 'key_id'],
    ['code', 'code'],
  ] as const) {
    const { data } = presentUsage({ ...usage, groupBy, sums: [{ ...sum, group: 'x' }] });
    expect(data[0]?.results).toEqual([]);
    expect(data[1]?.results).toMatchObject([{ model: null, key_id: null, code: null, [field]: 'x' }]);
  }
});
