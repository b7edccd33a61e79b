import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPageCommands } from './page-commands.ts';

const proofs = ['failover/failover.ts', 'restore/restore.ts'].map((path) =>
  readFileSync(join(import.meta.dirname, '..', path), 'utf8'),
);
const page = readFileSync(join(import.meta.dirname, '../../docs/operations/backup-and-restore.md'), 'utf8');

test('the proofs run every command on the page about backups', () => {
  const blocks = [...page.matchAll(/^ *```(\S*) ?(.*)$\n/gm)].filter(([, language]) => language !== '');
  expect(blocks.map(([, language]) => language)).toEqual(blocks.map(() => 'sh'));
  const onPage = blocks.map(([, , name]) => name ?? '');
  const run = proofs.flatMap((text) => [...text.matchAll(/runPageCommands\('([^']+)'/g)].map(([, name = '']) => name));
  expect(onPage.toSorted()).toEqual(run.toSorted());
});

test('commands inside a list lose the indentation of the list', () => {
  expect(readPageCommands('1. First:\n\n   ```sh one\n   if true; then\n     date\n   fi\n   ```\n', 'one')).toBe(
    'if true; then\n  date\nfi\n',
  );
});

test('commands that the page does not have are an error', () => {
  expect(() => readPageCommands('```sh one\ndate\n```\n', 'two')).toThrow('no commands named two');
});
