import { describe, expect, test } from 'vitest';
import { averagePrice, pricesOf, totalCost } from './usage-cost.ts';
import { toCsv, usageCsv } from './usage-csv.ts';
import { changeText } from './usage-figures.tsx';
import { customDays, periodOf } from './usage-period.ts';
import { readUsageSearch } from './usage-search.ts';
import { type Bucket, failureShare, type Result, seriesByGroup, totalsByGroup, totalsOf } from './usage-series.ts';

const hour = 3_600;
const day = 24 * hour;
/** 2026-11-18 03:30 UTC. */
const now = Date.UTC(2026, 10, 18, 3, 30) / 1000;

function result(fields: Partial<Result>): Result {
  return {
    model: null,
    key_id: null,
    code: null,
    tasks: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    video_seconds: 0,
    engine_seconds: 0,
    billable_video_seconds: 0,
    waiting_seconds: null,
    rendering_seconds: null,
    ...fields,
  };
}

function bucket(index: number, results: Partial<Result>[]): Bucket {
  const start = Date.UTC(2026, 10, 1) / 1000 + index * day;
  return { object: 'usage.bucket', start, end: start + day, results: results.map(result) };
}

describe('the period', () => {
  test('is the last seven days unless the address says otherwise', () => {
    const period = periodOf({}, now);
    expect([period.start, period.end].map((at) => new Date(at * 1000).toISOString())).toEqual([
      '2026-11-12T00:00:00.000Z',
      '2026-11-19T00:00:00.000Z',
    ]);
    expect(period).toMatchObject({ bucket: 'day', length: '7 days' });
  });

  test('is compared with as much of the period before as has passed of it', () => {
    const { before } = periodOf({}, now);
    expect([before.start, before.end].map((at) => new Date(at * 1000).toISOString())).toEqual([
      '2026-11-05T00:00:00.000Z',
      '2026-11-11T04:00:00.000Z',
    ]);
  });

  test('never has more buckets than the API returns', () => {
    for (const search of [
      { range: '90d', bucket: 'hour' },
      { range: 'custom', from: '1999-01-01' },
    ] as const) {
      const { start, end, bucket } = periodOf(search, now);
      expect((end - start) / (bucket === 'hour' ? hour : day)).toBeLessThanOrEqual(400);
    }
  });

  test('with its days the wrong way round or in the future is still a period', () => {
    const { start, end } = customDays({ from: '2026-12-24', to: '2027-01-01' }, now);
    expect(end - start).toBe(day);
    expect(new Date(start * 1000).toISOString()).toBe('2026-11-18T00:00:00.000Z');
  });
});

test('the address of the page is read without what is malformed', () => {
  const search = { range: '30d', from: '2026-11-01', to: '2026-13-01', bucket: 'week', by: 'key', other: 1 };
  expect(readUsageSearch(search)).toEqual({ range: '30d', from: '2026-11-01', by: 'key' });
});

describe('sums', () => {
  const buckets = [
    bucket(0, [
      { model: 'a', tasks: 3, completed: 2, failed: 1, billable_video_seconds: 10, engine_seconds: 50 },
      { model: 'b', tasks: 9, completed: 9, billable_video_seconds: 5, engine_seconds: 1 },
    ]),
    bucket(1, [{ model: 'a', tasks: 1, cancelled: 1 }]),
  ];

  test('are over all buckets and groups', () => {
    expect(totalsOf(buckets)).toMatchObject({ tasks: 13, completed: 11, failed: 1, cancelled: 1, engine_seconds: 51 });
    expect(totalsByGroup(buckets, 'model').map(({ id, totals }) => [id, totals.tasks])).toEqual([
      ['b', 9],
      ['a', 4],
    ]);
  });

  test('a group keeps its rank, and so its colour, whatever is measured', () => {
    const series = seriesByGroup(
      buckets,
      'model',
      (one) => one.failed,
      (id) => id.toUpperCase(),
    );
    expect(series).toEqual([{ name: 'A', rank: 1, values: [1, 0] }]);
  });

  test('from the seventh group on there is one series', () => {
    const many = [
      bucket(
        0,
        Array.from({ length: 9 }, (_, index) => ({ key_id: `k${index}`, tasks: 9 - index })),
      ),
    ];
    const series = seriesByGroup(
      many,
      'key',
      (one) => one.tasks,
      (id) => id,
    );
    expect(series.map(({ name, values }) => [name, ...values])).toEqual([
      ...[0, 1, 2, 3, 4].map((index) => [`k${index}`, 9 - index]),
      ['4 others', 10],
    ]);
  });

  test('cancelled tasks are no failures', () => {
    expect(failureShare({ ...totalsOf(buckets), completed: 3, failed: 1, cancelled: 96 })).toBe(0.25);
    expect(failureShare({ ...totalsOf([]), cancelled: 5 })).toBeNull();
  });

  test('the cost of a model whose price depends on the resolution is a span', () => {
    const prices = pricesOf([
      { id: 'a', price: { currency: 'USD', per_second: { '480p': '0.1', '720p': '0.2' } } },
      { id: 'b', price: { currency: 'USD', per_second: { '720p': '0.5' } } },
      { id: 'c', price: { currency: 'EUR', per_second: { '720p': '9' } } },
      { id: 'd', price: null },
    ]);
    expect(prices).toMatchObject({ currency: 'USD', leftOut: ['c'] });
    if (!prices) return;
    expect(totalCost(prices, buckets)).toEqual({ low: 3.5, high: 4.5 });
    expect(averagePrice(prices, buckets)).toEqual({ low: 3.5 / 15, high: 0.3 });
    expect(pricesOf([{ id: 'd', price: null }])).toBeNull();
  });
});

describe('CSV', () => {
  test('a text that starts like a formula is not one in a spreadsheet', () => {
    expect(toCsv([['=HYPERLINK("http://x")', '+1', '-1', '@SUM(A1)', '\tx', -1, 'a-b', 'a,b', 'a"b', null]])).toBe(
      '"\'=HYPERLINK(""http://x"")",\'+1,\'-1,\'@SUM(A1),\'\tx,-1,a-b,"a,b","a""b",\r\n',
    );
  });

  test('has a row for each bucket and group, with the name of the group', () => {
    const buckets = [bucket(0, [{ key_id: 'key_1', tasks: 2, completed: 2, billable_video_seconds: 8 }])];
    const costOf = (_id: string | null, seconds: number) => ({ low: seconds * 0.1, high: seconds * 0.2 });
    const [head = '', row = ''] = usageCsv([{ by: 'key', buckets, nameOf: () => '=ci', costOf }], 'USD').split('\r\n');
    expect(row.split(',')).toHaveLength(head.split(',').length);
    expect(row).toBe("2026-11-01T00:00:00.000Z,2026-11-02T00:00:00.000Z,key,key_1,'=ci,2,2,0,0,0,8,0,,,,,,,0.8,1.6");
    expect(head).toContain('cost_low_USD');
    expect(usageCsv([{ by: 'key', buckets, nameOf: () => '=ci', costOf: null }], null)).not.toContain('cost');
  });
});

test('a change is said in words', () => {
  expect(changeText(112, 100, '7 days')).toBe('12 % more than in the 7 days before');
  expect(changeText(50, 100, '7 days')).toBe('50 % less than in the 7 days before');
  expect(changeText(1000, 100, '7 days')).toBe('10 times that of the 7 days before');
  expect(changeText(5, 0, '24 hours')).toBe('None in the 24 hours before');
});
