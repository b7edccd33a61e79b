import type { Command } from 'commander';
import { connectForMigration, migrate } from '../db/connection/migrate.ts';
import { oldPartitions } from '../db/connection/old-partitions.ts';
import { dropOldDays } from '../operations/upkeep/drop-old-days.ts';
import { type Expired, expireFiles } from '../operations/upkeep/expire-files.ts';
import { reconcile } from '../operations/upkeep/reconcile.ts';
import { sumUsage } from '../operations/upkeep/sum-usage.ts';
import type { Foundation } from '../wiring/foundation.ts';
import { withFoundation } from './with-foundation.ts';

export function addMaintenanceCommands(program: Command): void {
  program
    .command('migrate')
    .description('bring the database schema up to date and create the partitions of the coming days')
    .action(() =>
      withFoundation(async ({ config, clock }) => {
        const db = connectForMigration(config.KINORA_DATABASE_URL);
        try {
          const applied = await migrate(db, { clock, report: (line) => console.log(line) });
          console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`);
        } finally {
          await db.destroy();
        }
      }),
    );

  program
    .command('sum-usage')
    .description('compute the usage sums of the days that have ended, as the relay does every minute')
    .action(() => withFoundation(({ db, config }) => sumUsage({ db, waitLimitHours: config.KINORA_TASK_WAIT_HOURS })));

  program
    .command('reconcile')
    .description('compare rows with each other and with Temporal, and repair what disagrees')
    .option('--dry-run', 'only print what would be done', false)
    .action((options: { dryRun: boolean }) =>
      withFoundation(async (foundation) => {
        const { KINORA_TASK_WAIT_HOURS, KINORA_RECONCILE_SECONDS } = foundation.config;
        const { findings, failures } = await reconcile(
          { ...foundation, waitLimitHours: KINORA_TASK_WAIT_HOURS, silenceSeconds: KINORA_RECONCILE_SECONDS },
          { isDryRun: options.dryRun },
        );
        for (const finding of findings) console.log(JSON.stringify(finding));
        for (const { step, error } of failures) console.error(`The step ${step} failed: ${String(error)}`);
        if (failures.length > 0) process.exitCode = 1;
        console.log(
          `${findings.length} finding${findings.length === 1 ? '' : 's'}${options.dryRun ? ', nothing changed' : ''}`,
        );
      }),
    );

  program
    .command('retention')
    .description('delete expired files and drop expired partitions, as the relay does automatically')
    .option('--dry-run', 'only print what would be deleted', false)
    .action(({ dryRun: isDryRun }: { dryRun: boolean }) =>
      withFoundation(async (foundation) => {
        const { db, config } = foundation;
        const { hasMore, ...files } = await expireUntilDone(foundation, isDryRun);
        const parts = {
          ...foundation,
          partitions: oldPartitions(db.kysely),
          retention: { recordDays: config.KINORA_RECORD_RETENTION_DAYS, usageDays: config.KINORA_USAGE_RETENTION_DAYS },
        };
        const { dropped, kept } = await dropOldDays(parts, { isDryRun });
        for (const name of kept) console.log(`${name} is kept: it still has open tasks or files`);
        for (const name of dropped) console.log(name);
        const least = hasMore ? 'at least ' : '';
        const deleted = isDryRun ? 'would be deleted' : 'deleted';
        console.log(`${least}${files.objects} objects of ${files.tasks} tasks and ${files.uploads} uploads ${deleted}`);
        console.log(`${dropped.length} partitions ${isDryRun ? 'would be dropped' : 'dropped'}, ${kept.length} kept`);
      }),
    );
}

/** Deletes expired files round by round until none is left. A dry run counts the first batch of each kind. */
async function expireUntilDone(foundation: Foundation, isDryRun: boolean): Promise<Expired> {
  const sum: Expired = { tasks: 0, uploads: 0, objects: 0, hasMore: false };
  do {
    const round = await expireFiles(foundation, { isDryRun });
    sum.tasks += round.tasks;
    sum.uploads += round.uploads;
    sum.objects += round.objects;
    sum.hasMore = round.hasMore;
  } while (sum.hasMore && !isDryRun);
  return sum;
}
