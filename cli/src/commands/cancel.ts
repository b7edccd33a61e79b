import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { forEachId } from '../for-each-id.ts';

/** Adds `kinora cancel`, which cancels each task even if an earlier one could not be cancelled. */
export function addCancel(program: Command, context: () => Context): void {
  program
    .command('cancel')
    .description('cancel tasks that have not ended')
    .argument('<task...>', 'their ids, task_…')
    .action(async (taskIds: string[]) => {
      const current = context();
      const { videos } = await current.kinora();
      await forEachId(current, taskIds, async (taskId) => {
        current.print(`${taskId} is cancelled.`, await videos.cancel(taskId));
      });
    });
}
