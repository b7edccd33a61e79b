import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { columns, type Position } from '../../../proofs/addresses/address-case.ts';
import type { HostileAddresses } from './hostile-addresses.fixture.ts';

// All of `proofs/addresses` that needs no installation, in a network namespace in which every address is local: each
// forbidden connection is seen, and none leaves the machine.
const positions: readonly Position[] = ['submitted', 'redirect', 'dns', 'dynamic', 'legitimate'];
const program = fileURLToPath(new URL('./hostile-addresses.fixture.ts', import.meta.url));
const namespace = ['--user', '--map-root-user', '--net', '--mount', '--'];
// The guard must ignore a proxy: any use of this one reaches the canary.
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map((name) => `${name}=http://127.0.0.1:3128`);
let found: HostileAddresses;

beforeAll(async () => {
  const words = [...namespace, 'env', ...proxies, process.execPath, program];
  const { stdout } = await promisify(execFile)('unshare', words, { maxBuffer: 2 ** 30 });
  found = JSON.parse(stdout) as HostileAddresses; // its own program wrote it
});

it.each(columns.flatMap((column) => positions.map((position) => [column, position] as const)))(
  'every %s case that is %s ends as it must',
  (column, position) => {
    const cases = found.cases.filter((one) => one.column === column && one.position === position);
    const wrong = cases.filter(
      ({ allowed, ending, wasCarriedOut }) => !wasCarriedOut || !allowed.some((one) => one === ending),
    );
    expect(wrong).toEqual([]);
    // Most forms are tried in three positions; a callback has fewer of the others, because no redirect is followed.
    expect(cases.length).toBeGreaterThanOrEqual(column === 'callback_url' ? 60 : 80);
  },
);

it('no connection reached an address that is not public', () => {
  expect(found.trespasses).toEqual([]);
  expect(found.cases.length).toBeGreaterThan(5_000);
});

it('without the guard the canary notices the same forms', () => {
  // Not all, because no process can connect to multicast, to link-local without a zone and to a few others.
  expect(found.control.noticed).toBeGreaterThan(0.9 * found.control.forms);
});

it('the classifier agrees with the registries about random addresses', () => {
  expect(found.comparison.disagreements).toEqual([]);
  expect(found.comparison.publicOnes).toBeGreaterThan(0);
  expect(found.comparison.strictOnPurpose).toBeGreaterThan(0);
});
