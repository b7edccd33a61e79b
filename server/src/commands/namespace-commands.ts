import type { Command } from 'commander';
import { readCommandConfig } from '../config/config.ts';
import { readTemporalAccess } from '../wiring/read-temporal-access.ts';
import { readPositiveNumber } from './read-option.ts';

export function addNamespaceCommands(program: Command): void {
  program
    .command('namespace')
    .description('prepare Temporal for Kinora')
    .command('ensure')
    .description('register the namespace KINORA_TEMPORAL_NAMESPACE in Temporal, unless it exists')
    // All that Kinora needs of ended workflows later is in its own database.
    .option('--retention-days <days>', 'how long Temporal keeps ended workflows', readPositiveNumber, 1)
    .action(async ({ retentionDays }: { retentionDays: number }) => {
      // This import loads the client of Temporal, which a role loads only if it needs it.
      const { ensureNamespace } = await import('./ensure-namespace.ts');
      const access = readTemporalAccess(readCommandConfig());
      const isNew = await ensureNamespace(access, retentionDays);
      console.log(`The namespace ${access.namespace} ${isNew ? 'was registered' : 'exists'}.`);
    });
}
