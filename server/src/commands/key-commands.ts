import { type Command, Option } from 'commander';
import type { ApiKey } from '../db/access/api-key-table.ts';
import { type Scope, scopes } from '../domain/caller.ts';
import { createApiKey } from '../operations/keys/create-api-key.ts';
import { revokeAllApiKeys, revokeApiKey } from '../operations/keys/revoke-api-key.ts';
import { rotateApiKey } from '../operations/keys/rotate-api-key.ts';
import { requireProject } from '../operations/projects/require-project.ts';
import { operatorOf } from './operator-of.ts';
import { printTable } from './print-table.ts';
import { readMoment, readWholeNumber } from './read-option.ts';
import { withFoundation } from './with-foundation.ts';

interface CreateOptions {
  mode: string;
  name: string;
  scopes?: Scope[];
  expires?: Date;
}

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('create, list, rotate and revoke API keys');

  keys
    .command('create')
    .argument('<project-id>')
    .description('create a key and print it; it is never shown again')
    .addOption(
      new Option('--mode <mode>', 'live renders on the real engines, test on the built-in one')
        .choices(['live', 'test'])
        .default('live'),
    )
    .option('--name <name>', 'what the key is for', 'unnamed')
    .addOption(new Option('--scopes <scopes...>', 'what the key can do (default: everything)').choices(scopes))
    .option('--expires <date>', 'when the key expires', readMoment)
    .action((projectId: string, options: CreateOptions, command: Command) =>
      withFoundation(async (foundation) => {
        await requireProject(foundation.db, projectId);
        const { id, key } = await createApiKey(foundation, operatorOf(command), {
          projectId,
          livemode: options.mode === 'live',
          name: options.name,
          scopes: options.scopes,
          expiresAt: options.expires,
        });
        console.log(JSON.stringify({ id, key }));
      }),
    );

  keys
    .command('list')
    .argument('<project-id>')
    .description('list all keys of a project, newest first, with their last use and their creator, without their text')
    .option('--json', 'print one JSON object per line', false)
    .action((projectId: string, options: { json: boolean }) =>
      withFoundation(async ({ db, clock }) => {
        await requireProject(db, projectId);
        for await (const page of db.apiKeys.pagesOf(projectId)) {
          if (options.json) for (const key of page) console.log(JSON.stringify(key));
          else printTable(columns, rowsOf(page, clock.now()));
        }
      }),
    );

  keys
    .command('rotate')
    .argument('<key-id>')
    .description('create a new key like this one and print it; the old one works until the overlap ends')
    .option('--overlap <seconds>', 'how long both keys work', readWholeNumber, 24 * 60 * 60)
    .action((keyId: string, { overlap }: { overlap: number }, command: Command) =>
      withFoundation(async (foundation) => {
        const actor = operatorOf(command);
        const { id, key } = await rotateApiKey(foundation, { keyId, overlapSeconds: overlap, actor });
        console.log(JSON.stringify({ id, key }));
      }),
    );

  keys
    .command('revoke')
    .argument('<key-id>')
    .description('revoke a key; requests with it are refused from now on')
    .option('--with-descendants', 'also revoke the keys that it created, and those that they created, and so on', false)
    .action((keyId: string, { withDescendants }: { withDescendants: boolean }, command: Command) =>
      withFoundation(async (foundation) => {
        const revoked = await revokeApiKey(foundation, { keyId, actor: operatorOf(command), withDescendants });
        for (const id of new Set([keyId, ...revoked])) console.log(`${id} is revoked.`);
      }),
    );

  keys
    .command('revoke-all')
    .argument('<project-id>')
    .description('revoke every key of a project, in both modes')
    .action((projectId: string, _options: unknown, command: Command) =>
      withFoundation(async (foundation) => {
        await requireProject(foundation.db, projectId);
        const revoked = await revokeAllApiKeys(foundation, operatorOf(command), projectId);
        console.log(`${revoked.length} keys revoked`);
      }),
    );
}

const columns = ['id', 'name', 'key', 'state', 'last used', 'created', 'created by', 'scopes'];

function rowsOf(keys: readonly ApiKey[], now: Date): string[][] {
  return keys.map((key) => [
    key.id,
    key.name,
    `${key.prefix}…${key.lastFour}`,
    stateOf(key, now),
    key.lastUsedAt === null ? 'never' : toMinute(key.lastUsedAt),
    toMinute(key.createdAt),
    key.createdByKeyId ?? 'operator',
    key.scopes.length === scopes.length ? 'all' : key.scopes.join(' '),
  ]);
}

function stateOf({ revokedAt, expiresAt }: ApiKey, now: Date): string {
  if (revokedAt !== null) return `revoked ${toMinute(revokedAt)}`;
  if (expiresAt === null) return 'active';
  return `${expiresAt <= now ? 'expired' : 'active until'} ${toMinute(expiresAt)}`;
}

function toMinute(moment: Date): string {
  return `${moment.toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
