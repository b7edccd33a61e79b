import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { exitCodeOf } from '../exit-codes.ts';
import { describeError, errorAsJson } from '../terminal/describe-error.ts';

/** Adds `kinora cancel`, which cancels each task even if an earlier one could not be cancelled. */
export function addCancel(program: Command, context: () => Context): void {
  program
    .command('cancel')
    .description('cancel tasks that have not ended')
    .argument('<task...>', 'their ids, task_…')
    .action(async (taskIds: string[]) => {
      const { kinora, print, isJson } = context();
      const { videos } = await kinora();
      let firstError: unknown = null;
      for (const taskId of taskIds) {
        try {
          print(`${taskId} is cancelled.`, await videos.cancel(taskId));
        } catch (error) {
          if (taskIds.length === 1) throw error;
          const text = isJson
            ? JSON.stringify({ id: taskId, ...errorAsJson(error) })
            : `${taskId}: ${describeError(error)}`;
          process.stderr.write(`${text}\n`);
          firstError ??= error;
        }
      }
      if (firstError !== null) process.exitCode = exitCodeOf(firstError);
    });
}
