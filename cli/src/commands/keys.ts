import type { ApiKey, CreateApiKey, IssuedApiKey } from '@kinora/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { helpExamples } from '../help-examples.ts';
import { printList } from '../print-list.ts';
import { dateAndTime } from '../terminal/clock.ts';
import { type Column, renderTable } from '../terminal/table.ts';
import { ago } from '../terminal/times.ts';
import { wholeNumber } from '../whole-number.ts';

/** Adds `kinora keys`, which manages the API keys of the project. */
export function addKeys(program: Command, context: () => Context): void {
  const keys = program.command('keys').description('manage the keys of the project');
  keys
    .command('list')
    .description('list every key, without the key itself')
    .action(async () => {
      const current = context();
      await printList(current, (await current.kinora()).apiKeys.list(), { render: renderKeys });
    });
  keys
    .command('create')
    .description('create a key; it is shown once')
    .argument('<name>', 'what it is for')
    .option(
      '--scopes <list>',
      'its scopes, separated by commas (default: those of your key, except for managing keys or webhooks)',
    )
    .option(
      '--expires-in-days <days>',
      'when it expires (default: with your key)',
      wholeNumber('--expires-in-days', 1, 36_500),
    )
    .addHelpText(
      'after',
      helpExamples('kinora keys create "build server" --scopes videos:read,videos:write --expires-in-days 90'),
    )
    .action(async (name: string, { scopes, expiresInDays }: { scopes?: string; expiresInDays?: number }) => {
      const current = context();
      const request = {
        name,
        ...(scopes && { scopes: scopes.split(',').map((scope) => scope.trim()) }),
        ...(expiresInDays && { expires_at: Math.floor(Date.now() / 1000) + 86_400 * expiresInDays }),
      } as CreateApiKey; // the service names the scopes that it knows
      show(current, await (await current.kinora()).apiKeys.create(request));
    });
  keys
    .command('rotate')
    .description('replace a key with a new one; both work until the overlap ends')
    .argument('<key>', 'its id')
    .option(
      '--overlap-hours <hours>',
      'how long the old key keeps working, 0 to 168',
      wholeNumber('--overlap-hours', 0, 168),
      24,
    )
    .action(async (keyId: string, { overlapHours }: { overlapHours: number }) => {
      const current = context();
      const issued = await (await current.kinora()).apiKeys.rotate(keyId, { overlap_seconds: 3600 * overlapHours });
      show(current, issued);
      current.remark(overlapHours === 0 ? `${keyId} has ended.` : `${keyId} works for another ${overlapHours} h.`);
    });
  keys
    .command('revoke')
    .description('revoke a key at once')
    .argument('<key>', 'its id')
    .action(async (keyId: string) => {
      const { kinora, print } = context();
      print(`${keyId} is revoked.`, await (await kinora()).apiKeys.revoke(keyId));
    });
}

/** Prints only the key to stdout, so that it can be piped into a secret store. */
function show({ print, remark }: Context, issued: IssuedApiKey): void {
  print(issued.key, issued);
  remark(`This is the only time that ${issued.id} is shown.`);
}

const head: Column[] = [
  { title: 'key' },
  { title: 'name', shrinksTo: 8 },
  { title: 'last four', leftOut: 3 },
  { title: 'used', leftOut: 2 },
  // The date remains without the time of day.
  { title: 'state', shrinksTo: 'until 2026-11-15…'.length },
  { title: 'scopes', shrinksTo: 24, leftOut: 1 },
];

/** Renders one row per key, with the longest column last. */
export function renderKeys(keys: readonly ApiKey[], columns?: number, now: number = Date.now()): string {
  if (keys.length === 0) return 'No keys.';
  const rows = keys.map((key) => [
    key.id,
    key.name,
    `…${key.last_four}`,
    ago(key.last_used_at, now),
    stateOf(key, now),
    key.scopes.join(' '),
  ]);
  return renderTable(head, rows, columns);
}

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: ApiKey, now: number): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'valid';
  return expiresAt * 1000 <= now ? 'expired' : `until ${dateAndTime(expiresAt).slice(0, -3)}`;
}
