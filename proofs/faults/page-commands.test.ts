import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesOfPageCommands } from '@kinora/stack/harness/page-commands';
import { expect, test } from 'vitest';

const paths = ['failover/replicated-databases.ts', 'restore/restore.ts', 'restore/restore-database.ts'];
const proofs = paths.map((path) => readFileSync(join(import.meta.dirname, '..', path), 'utf8'));
const page = readFileSync(join(import.meta.dirname, '../../docs/operations/backup-and-restore.md'), 'utf8');

test('the proofs run every command on the page about backups', () => {
  const run = proofs.flatMap((text) => [...text.matchAll(/runPageCommands\('([^']+)'/g)].map(([, name = '']) => name));
  expect(namesOfPageCommands(page).toSorted()).toEqual(run.toSorted());
});
