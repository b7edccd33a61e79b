import { expect, test } from 'vitest';
import { isDatabaseUnavailable } from '../database.ts';

function errorOf(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

test('a Postgres server that shuts down counts as away', () => {
  expect(isDatabaseUnavailable(errorOf('57P01', 'terminating connection due to administrator command'))).toBe(true);
});

test('a Postgres server that became read-only in a failover counts as away', () => {
  expect(isDatabaseUnavailable(errorOf('25006', 'cannot execute UPDATE in a read-only transaction'))).toBe(true);
});
