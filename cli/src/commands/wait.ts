import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { forEachId } from '../for-each-id.ts';
import { helpExamples } from '../help-examples.ts';
import { onInterrupt } from '../interruption.ts';
import { createTaskReport } from '../reports/task-report.ts';

/** Waiting outlasts a restart of the service. */
const maxRetries = 8;

/** Adds `kinora wait`, which waits for tasks that were created elsewhere or earlier. */
export function addWait(program: Command, context: () => Context): void {
  program
    .command('wait')
    .description('wait until tasks have ended')
    .argument('<task...>', 'their ids, task_…')
    .addHelpText(
      'after',
      helpExamples(
        'id=$(kinora generate "a train in the mountains" --detach)',
        'kinora wait "$id" && kinora download "$id" -o train.mp4',
      ),
    )
    .action((taskIds: string[]) => wait(context(), taskIds));
}

/** Waits for one task after the other. That takes no longer than to wait for all at once, and shows one bar. */
async function wait(context: Context, taskIds: readonly string[]): Promise<void> {
  const report = createTaskReport(context);
  const { videos } = await context.kinora({ maxRetries, onTrouble: (text) => report.note(text) });
  const interruption = onInterrupt({
    question: '',
    canCancel: () => false,
    farewell: () => 'The tasks keep running without this command.',
    isJson: context.isJson,
    stop: new AbortController(),
    screen: report,
  });
  try {
    await forEachId(context, taskIds, async (taskId) => {
      const waiting = videos.wait(taskId, { onProgress: (task) => report.show(task) });
      const task = await waiting.finally(() => report.end());
      context.print(`${taskId} is completed.`, task);
    });
  } finally {
    interruption.forget();
  }
}
