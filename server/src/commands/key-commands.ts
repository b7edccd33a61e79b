import { type Command, Option } from 'commander';
import type { ApiKey } from '../db/api-keys.ts';
import { type Scope, scopes } from '../domain/caller.ts';
import { AppError } from '../errors.ts';
import { createApiKey } from '../operations/keys/create-api-key.ts';
import { revokeApiKey } from '../operations/keys/revoke-api-key.ts';
import { rotateApiKey } from '../operations/keys/rotate-api-key.ts';
import { printTable } from './print-table.ts';
import { isProjectId } from './project-commands.ts';
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
    .addOption(new Option('--scopes <scopes...>', 'what the key may do; everything by default').choices(scopes))
    .option('--expires <date>', 'when the key expires', readMoment)
    .action((projectId: string, options: CreateOptions) =>
      withFoundation(async (foundation) => {
        const project = isProjectId(projectId) ? await foundation.db.projects.find(projectId) : null;
        if (!project) throw noSuchProject(projectId);
        const { id, key } = await createApiKey(foundation, {
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
    .description('list the keys of a project with their last use, without their text')
    .option('--json', 'print one JSON object per line', false)
    .action((projectId: string, options: { json: boolean }) =>
      withFoundation(async ({ db, clock }) => {
        const project = isProjectId(projectId) ? await db.projects.find(projectId) : null;
        if (!project) throw noSuchProject(projectId);
        const found = await db.apiKeys.list(projectId);
        if (options.json) for (const key of found) console.log(JSON.stringify(key));
        else printTable(columns, rowsOf(found, clock.now()));
      }),
    );

  keys
    .command('rotate')
    .argument('<key-id>')
    .description('create a new key like this one and print it; the old one works until the overlap ends')
    .option('--overlap <seconds>', 'how long both keys work', readWholeNumber, 24 * 60 * 60)
    .action((keyId: string, options: { overlap: number }) =>
      withFoundation(async (foundation) => {
        const { id, key } = await rotateApiKey(foundation, { keyId, overlapSeconds: options.overlap, caller: null });
        console.log(JSON.stringify({ id, key }));
      }),
    );

  keys
    .command('revoke')
    .argument('<key-id>')
    .description('revoke a key, which is refused from now on')
    .action((keyId: string) =>
      withFoundation(async (foundation) => {
        await revokeApiKey(foundation, { keyId });
        console.log(`${keyId} is revoked.`);
      }),
    );
}

const columns = ['id', 'name', 'key', 'state', 'last used', 'created', 'scopes'];

function rowsOf(keys: readonly ApiKey[], now: Date): string[][] {
  return keys.map((key) => [
    key.id,
    key.name,
    `${key.prefix}…${key.lastFour}`,
    stateOf(key, now),
    key.lastUsedAt === null ? 'never' : toMinute(key.lastUsedAt),
    toMinute(key.createdAt),
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

function noSuchProject(projectId: string): AppError {
  return new AppError('not_found', { message: `There is no project ${projectId}.` });
}
