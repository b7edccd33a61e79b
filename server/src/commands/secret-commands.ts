import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { recordAuditEvent } from '../operations/audit/record-audit-event.ts';
import { rewrapSecrets } from '../operations/webhooks/rewrap-secrets.ts';
import { wireSecretTools } from '../wiring/wire-webhooks.ts';
import { operatorOf } from './operator-of.ts';
import { withFoundation } from './with-foundation.ts';

export function addSecretCommands(program: Command): void {
  const secrets = program.command('secrets').description('create and rotate the keys of KINORA_SECRET_KEYS');

  secrets
    .command('new')
    .description('print a new random key for KINORA_SECRET_KEYS')
    // 32 bytes in the alphabet of base64url, which needs no quotes in a shell or a settings file.
    .action(() => console.log(randomBytes(32).toString('base64url')));

  secrets
    .command('rewrap')
    .description('encrypt all stored webhook and callback secrets with the first key; safe to repeat at any time')
    .option('--replace-lost', 'replace secrets that no key decrypts by new ones, and print whose they are', false)
    .action(({ replaceLost }: { replaceLost: boolean }, command: Command) =>
      withFoundation(async (foundation) => {
        const parts = { ...foundation, ...wireSecretTools(foundation.config) };
        const { resealed, replaced, unreadable } = await rewrapSecrets(parts, { replaceLost });
        const detail = { resealed, replaced: replaced.map(({ id }) => id), unreadable: unreadable.length };
        const event = { action: 'secrets.rewrapped', detail } as const;
        await recordAuditEvent(foundation.db, operatorOf(command), event, foundation.clock.now());
        for (const { table, id } of replaced) console.log(`${table} ${id} has a new secret: its owner must rotate it`);
        for (const { table, id } of unreadable) console.error(`${table} ${id} cannot be decrypted with any key`);
        console.log(`${resealed} row${resealed === 1 ? '' : 's'} encrypted with the first key`);
        if (unreadable.length > 0) process.exitCode = 1;
      }),
    );
}
