import type { Command } from 'commander';
import { migrate } from '../db/migrate.ts';
import { reconcile } from '../operations/reconcile.ts';
import { sweepObjects } from '../operations/sweep-objects.ts';
import { readWholeNumber } from './read-option.ts';
import { withFoundation } from './with-foundation.ts';

export function addMaintenanceCommands(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date and make the partitions of the days to come')
    .action(() =>
      withFoundation(async ({ db, clock }) => {
        const applied = await migrate(db.kysely, clock.now());
        console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`);
      }),
    );

  program
    .command('reconcile')
    .description('compare rows with each other and with Temporal, and mend what disagrees')
    .option('--dry-run', 'only say what would be done', false)
    .action((options: { dryRun: boolean }) =>
      withFoundation(async (foundation) => {
        const { KINORA_TASK_WAIT_HOURS, KINORA_RECONCILE_SECONDS } = foundation.config;
        const findings = await reconcile(
          { ...foundation, waitLimitHours: KINORA_TASK_WAIT_HOURS, silenceSeconds: KINORA_RECONCILE_SECONDS },
          { isDryRun: options.dryRun },
        );
        for (const finding of findings) console.log(JSON.stringify(finding));
        console.log(
          `${findings.length} finding${findings.length === 1 ? '' : 's'}${options.dryRun ? ', nothing changed' : ''}`,
        );
      }),
    );

  program
    .command('sweep')
    .description('delete objects that no row names')
    .option('--dry-run', 'only say what would be deleted', false)
    .option('--older-than <seconds>', 'leave younger objects alone', readWholeNumber, 24 * 60 * 60)
    .action((options: { dryRun: boolean; olderThan: number }) =>
      withFoundation(async (foundation) => {
        const swept = await sweepObjects(foundation, { olderThanSeconds: options.olderThan, isDryRun: options.dryRun });
        for (const key of swept) console.log(key);
        console.log(
          `${swept.length} object${swept.length === 1 ? '' : 's'} ${options.dryRun ? 'would be deleted' : 'deleted'}`,
        );
      }),
    );
}
