import type { Command } from 'commander';
import type { Operator } from '../domain/actor.ts';
import { type Recorded, recordAuditEvent } from '../operations/audit/record-audit-event.ts';
import { sweepObjects } from '../operations/upkeep/sweep-objects.ts';
import { listTrash, restoreFromTrash } from '../operations/upkeep/trash.ts';
import type { Foundation } from '../wiring/foundation.ts';
import { operatorOf } from './operator-of.ts';
import { readWholeNumber } from './read-option.ts';
import { withFoundation } from './with-foundation.ts';

interface SweepOptions {
  dryRun: boolean;
  olderThan: number;
  acceptUnknown: boolean;
}

export function addSweepCommands(program: Command): void {
  program
    .command('sweep')
    .description(
      'move objects that no database row refers to into the trash, and delete what has been there for a week',
    )
    .option('--dry-run', 'only print what would be done', false)
    .option('--older-than <seconds>', 'keep objects that are younger', readWholeNumber, 24 * 60 * 60)
    .option('--accept-unknown', 'sweep even if the database lacks the rows of many or of the newest objects', false)
    .action(({ dryRun, olderThan, acceptUnknown }: SweepOptions, command: Command) =>
      withFoundation(async (foundation) => {
        const options = { olderThanSeconds: olderThan, isDryRun: dryRun, acceptUnknown };
        const result = await sweepObjects(foundation, options);
        if ('reason' in result) {
          console.error(`Nothing was swept. ${result.explanation}`);
          process.exitCode = 1;
          return;
        }
        const { trashed, erased, emptied, abortedUploads } = result;
        if (!dryRun) {
          const deleted = erased.length + emptied;
          const detail = {
            trashed: trashed.length,
            deleted,
            aborted_uploads: abortedUploads,
            accept_unknown: acceptUnknown,
          };
          await record(foundation, operatorOf(command), { action: 'objects.swept', detail });
        }
        for (const key of [...trashed, ...erased]) console.log(key);
        const would = dryRun ? 'would be ' : '';
        console.log(
          `${trashed.length} objects ${would}moved to the trash, ${erased.length + emptied} objects ${would}deleted, ` +
            `${abortedUploads} interrupted uploads ${would}aborted`,
        );
      }),
    );

  program
    .command('trash')
    .description('list the objects in the trash, or restore some of them')
    .option('--restore <prefix>', 'move objects whose keys start with this text back, such as a day or a task')
    .action(({ restore }: { restore?: string }, command: Command) =>
      withFoundation(async (foundation) => {
        const { storage } = foundation;
        if (restore !== undefined) {
          const restored = await restoreFromTrash(storage, restore);
          const detail = { prefix: restore, restored: restored.length };
          await record(foundation, operatorOf(command), { action: 'objects.restored', detail });
          for (const key of restored) console.log(key);
          console.log(`${restored.length} objects restored`);
          return;
        }
        for await (const { day, originalKey } of listTrash(storage)) console.log(`${day}  ${originalKey}`);
      }),
    );
}

/** Objects are not part of a transaction, so what happened to them is recorded afterwards. */
async function record({ db, clock }: Foundation, operator: Operator, recorded: Recorded): Promise<void> {
  await recordAuditEvent(db, operator, recorded, clock.now());
}
