import { expect, it } from 'vitest';
import { clockAt } from '../../domain/clock.fixture.ts';
import { readUsage, type UsageRequest } from './read-usage.ts';

type Query = Parameters<Parameters<typeof readUsage>[0]['db']['usageSums']['read']>[0];
const now = new Date('2026-11-15T12:34:56Z');

/** Returns the query that reaches the table; its result is tested against a real table elsewhere. */
async function queryFor(request: Partial<UsageRequest>, sums = 0): Promise<Query> {
  const queries: Query[] = [];
  const usageSums = {
    deleteOlderThan: async () => 0,
    read: async (query: Query) => {
      queries.push(query);
      return Array.from({ length: sums }, () => ({}) as never);
    },
  };
  const caller = { projectId: 'proj_1', livemode: true };
  const dependencies = { db: { usageSums }, clock: clockAt(() => now), waitLimitHours: 24 };
  await readUsage(dependencies, caller, { bucket: 'day', groupBy: null, start: null, end: null, ...request });
  if (!queries[0]) throw new Error('the table got no query');
  return queries[0];
}

const at = (text: string) => new Date(text);

it('usage covers the last 30 days by day or the last 48 hours by hour by default, in whole buckets', async () => {
  expect(await queryFor({})).toMatchObject({ start: at('2026-10-16T00:00:00Z'), end: at('2026-11-16T00:00:00Z') });
  expect(await queryFor({ bucket: 'hour' })).toMatchObject({
    start: at('2026-11-13T12:00:00Z'),
    end: at('2026-11-15T13:00:00Z'),
  });
});

it('a usage range is widened to whole buckets, and its query includes tasks created up to the longest life of a task before it', async () => {
  const query = await queryFor({ start: at('2026-11-01T05:00:00Z'), end: at('2026-11-02T00:00:00Z') });
  expect(query).toMatchObject({ start: at('2026-11-01T00:00:00Z'), end: at('2026-11-02T00:00:00Z') });
  expect(query.longestLifeSeconds).toBe(8 * 24 * 60 * 60);
});

it.each([
  ['start at end', { start: at('2026-11-01T00:00:00Z'), end: at('2026-11-01T00:00:00Z') }, 'start'],
  ['start after end', { start: at('2026-11-02T00:00:00Z'), end: at('2026-11-01T00:00:00Z') }, 'start'],
  ['start after now', { start: at('2026-12-01T00:00:00Z') }, 'start'],
  ['401 days', { start: at('2025-10-11T00:00:00Z') }, 'start'],
  ['401 hours', { bucket: 'hour', start: at('2026-10-29T20:00:00Z') }, 'start'],
] as const)('a usage request with %s is refused', async (_, request, param) => {
  await expect(queryFor(request)).rejects.toMatchObject({ status: 400, code: 'invalid_parameter', param });
});

it('400 buckets are allowed, but 10,001 results are refused', async () => {
  await expect(queryFor({ start: at('2025-10-12T00:00:00Z') })).resolves.toBeDefined();
  await expect(queryFor({ bucket: 'hour', start: at('2026-10-29T21:00:00Z') })).resolves.toBeDefined();
  await expect(queryFor({ groupBy: 'key' }, 10_001)).rejects.toMatchObject({ status: 400, param: 'group_by' });
});
