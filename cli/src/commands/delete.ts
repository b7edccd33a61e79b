import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { forEachId } from '../for-each-id.ts';

/** Adds `kinora delete`, which deletes each task even if an earlier one could not be deleted. */
export function addDelete(program: Command, context: () => Context): void {
  program
    .command('delete')
    .description('delete tasks with their prompts, pictures and videos, for good; running ones are cancelled')
    .argument('<task...>', 'their ids, task_…')
    .action(async (taskIds: string[]) => {
      const current = context();
      const { videos } = await current.kinora();
      await forEachId(current, taskIds, async (taskId) => {
        current.print(`${taskId} is deleted.`, await videos.delete(taskId));
      });
    });
}
