import { type Command, Option } from 'commander';
import { type Scope, scopes } from '../domain/caller.ts';
import { uuidFromId } from '../domain/id.ts';
import { AppError } from '../errors.ts';
import { createApiKey } from '../operations/create-api-key.ts';
import { isProjectId } from './projects.ts';
import { readMoment } from './read-option.ts';
import { withFoundation } from './with-foundation.ts';

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys: shown once, stored as a hash');

  keys
    .command('create')
    .argument('<project-id>')
    .description('create a key and show it, once')
    .addOption(
      new Option('--mode <mode>', 'live renders on the real engines, test on the built-in one')
        .choices(['live', 'test'])
        .default('live'),
    )
    .option('--name <name>', 'what the key is for', 'unnamed')
    .addOption(new Option('--scopes <scopes...>', 'what it may do; everything by default').choices(scopes))
    .option('--expires <date>', 'when it ends', readMoment)
    .action((projectId: string, options: { mode: string; name: string; scopes?: Scope[]; expires?: Date }) =>
      withFoundation(async (foundation) => {
        const project = isProjectId(projectId) ? await foundation.db.projects.find(projectId) : null;
        if (!project) throw new AppError('not_found', { message: `There is no project ${projectId}.` });
        const created = await createApiKey(foundation, {
          projectId,
          livemode: options.mode === 'live',
          name: options.name,
          scopes: options.scopes,
          expiresAt: options.expires,
        });
        console.log(JSON.stringify(created));
      }),
    );

  keys
    .command('list')
    .argument('<project-id>')
    .description('the keys of a project, without their text')
    .action((projectId: string) =>
      withFoundation(async ({ db }) => {
        if (!isProjectId(projectId)) throw new AppError('not_found', { message: `There is no project ${projectId}.` });
        for (const key of await db.apiKeys.list(projectId)) console.log(JSON.stringify(key));
      }),
    );

  keys
    .command('revoke')
    .argument('<key-id>')
    .description('refuse a key from now on')
    .action((keyId: string) =>
      withFoundation(async ({ db, clock }) => {
        const isRevoked = uuidFromId('key', keyId) !== null && (await db.apiKeys.revoke(keyId, clock.now()));
        if (!isRevoked) throw new AppError('not_found', { message: `There is no key ${keyId}.` });
        console.log(`${keyId} is revoked.`);
      }),
    );
}
