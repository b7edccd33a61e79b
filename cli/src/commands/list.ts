import type { ListVideos, Task } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { helpExamples } from '../help-examples.ts';
import { printList } from '../print-list.ts';
import { keyAndValue } from '../request-options.ts';
import { type Column, renderTable } from '../terminal/table.ts';
import { ago } from '../terminal/times.ts';
import { wholeNumber } from '../whole-number.ts';

interface ListOptions {
  status?: NonNullable<ListVideos['status']>;
  search?: string;
  metadata?: Record<string, string>;
  limit: number;
}

const largestPage = 100;
const head: Column[] = [
  { title: 'task' },
  { title: 'status' },
  { title: 'size', leftOut: 2 },
  { title: 'length', leftOut: 1 },
  { title: 'created', leftOut: 3 },
  { title: 'prompt', shrinksTo: 10 },
];

/** Adds `kinora list`, which shows the newest tasks. */
export function addList(program: Command, context: () => Context): void {
  program
    .command('list')
    .description('list the newest tasks')
    .addOption(
      new Option('--status <status...>', 'only tasks with this status; name several for any of them').choices([
        'queued',
        'in_progress',
        'completed',
        'failed',
        'cancelled',
      ]),
    )
    .option('--search <words>', 'only tasks with these words in the prompt')
    .option('--metadata <key=value>', 'only tasks with this metadata; repeat it for more', keyAndValue)
    .option('-n, --limit <number>', 'the maximum number of tasks', wholeNumber('--limit', 1, 999_999), 20)
    .addHelpText(
      'after',
      helpExamples(
        'kinora list --status failed cancelled',
        'kinora list --metadata shot=7',
        'kinora list --json -n 500 | jq -r .id',
      ),
    )
    .action((options: ListOptions) => list(context(), options));
}

async function list(context: Context, { status, search, metadata, limit }: ListOptions): Promise<void> {
  const query: ListVideos = {
    limit: Math.min(largestPage, limit),
    ...(status && { status }),
    ...(search && { q: search }),
    ...(metadata && { metadata }),
  };
  await printList(context, (await context.kinora()).videos.list(query), { render: renderTasks, limit });
}

/** Renders one row per task. In a terminal, the prompt gets the width that the other columns leave. */
export function renderTasks(tasks: readonly Task[], columns?: number): string {
  if (tasks.length === 0) return 'No tasks.';
  const rows = tasks.map((task) => [
    task.id,
    task.is_final || task.status === 'queued' ? task.status : `${task.stage} ${task.progress} %`,
    task.size,
    `${task.duration} s`,
    ago(task.created_at),
    task.prompt,
  ]);
  return renderTable(head, rows, columns);
}
