import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../database.ts';
import { startEmptyPostgres } from './empty-postgres.fixture.ts';

const poolSize = 4;
/** Enough for the queries that must succeed, even on a busy machine. */
const queryTimeoutMilliseconds = 5_000;

async function outcomeOf(db: Database): Promise<string> {
  return db.check().then(
    () => 'succeeded',
    (error: unknown) => String(error),
  );
}

describe('a pool whose connections have all fallen silent', () => {
  const seen = { warm: [''], lost: [''], afterwards: [''] };
  beforeAll(async () => {
    await using postgres = await startEmptyPostgres();
    const db = postgres.connect({ poolSize, queryTimeoutMilliseconds });
    const queryOnAll = () => Promise.all(Array.from({ length: poolSize }, () => outcomeOf(db)));
    seen.warm = await queryOnAll();
    postgres.silence();
    seen.lost = await queryOnAll();
    await queryOnAll(); // these may still meet connections that are being closed
    seen.afterwards = await queryOnAll();
  });

  test('a query on a silent connection is given up after its time-out', () => {
    expect(seen.warm).toEqual(Array(poolSize).fill('succeeded'));
    expect(seen.lost).toEqual(Array(poolSize).fill('Error: Query read timeout'));
  });

  test('a pool whose connections fell silent opens new ones once the old ones have timed out', () => {
    expect(seen.afterwards).toEqual(Array(poolSize).fill('succeeded'));
  });
});

test('once one connection turns out to be silent, the idle ones beside it cost no further time-out', async () => {
  await using postgres = await startEmptyPostgres();
  // The pool probes connections that were idle for 2 s. Its clock is slow, so that it trusts them after the time-out.
  const now = performance.now.bind(performance);
  const slowed = vi.spyOn(performance, 'now').mockImplementation(() => now() / 10);
  onTestFinished(() => slowed.mockRestore());
  const db = postgres.connect({ poolSize, queryTimeoutMilliseconds });
  await Promise.all(Array.from({ length: poolSize }, () => outcomeOf(db)));
  postgres.silence();
  const outcomes: string[] = [];
  for (let queries = 0; queries <= poolSize; queries += 1) outcomes.push(await outcomeOf(db));
  expect(outcomes).toEqual(['Error: Query read timeout', ...Array(poolSize).fill('succeeded')]);
});

test('a connection that fell silent while it was idle is replaced after 2 s, and its query succeeds', async () => {
  await using postgres = await startEmptyPostgres();
  const db = postgres.connect();
  expect(await outcomeOf(db)).toBe('succeeded');
  postgres.silence();
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
  onTestFinished(() => later.mockRestore());
  expect(await outcomeOf(db)).toBe('succeeded');
  expect(postgres.connections()).toBe(2);
});

test('a transaction on a silent connection ends with the first time-out, not with a second one for its rollback', async () => {
  await using postgres = await startEmptyPostgres();
  const db = postgres.connect({ queryTimeoutMilliseconds: 1_000 });
  let hasTimePassed = false;
  const silent = db.transaction(async (tables) => {
    postgres.silence();
    await tables.outbox.oldest().catch((error: unknown) => {
      setTimeout(() => (hasTimePassed = true)); // runs before a second time-out does
      throw error;
    });
  });
  await expect(silent).rejects.toThrow('Query read timeout');
  expect(hasTimePassed).toBe(false);
});
