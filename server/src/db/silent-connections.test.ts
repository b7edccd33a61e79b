import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from './database.ts';
import { startEmptyPostgres } from './empty-postgres.fixture.ts';

const poolSize = 4;

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
    const db = postgres.connect({ poolSize, queryTimeoutMilliseconds: 1_000 });
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

  test.fails('a pool whose connections fell silent opens new ones once the old ones have timed out (protocol review, finding 7)', () => {
    expect(seen.afterwards).toEqual(Array(poolSize).fill('succeeded'));
  });
});
