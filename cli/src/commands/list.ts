import type { ListVideos, Task } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { oneLine } from '../terminal/one-line.ts';
import { renderTable } from '../terminal/table.ts';
import { ago } from '../terminal/times.ts';

interface ListOptions {
  status?: NonNullable<ListVideos['status']>;
  search?: string;
  limit: number;
}

const promptLength = 44;
const shortestPromptLength = 16;
const largestPage = 100;

/** Adds `kinora list`, which shows the newest tasks. */
export function addList(program: Command, context: () => Context): void {
  program
    .command('list')
    .description('the newest tasks')
    .addOption(
      new Option('--status <status>', 'only these').choices([
        'queued',
        'in_progress',
        'completed',
        'failed',
        'cancelled',
      ]),
    )
    .option('--search <words>', 'only those with these words in the prompt')
    .option('-n, --limit <number>', 'how many at most', howMany, 20)
    .action((options: ListOptions) => list(context(), options));
}

function howMany(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--limit must be a number of 1 to 999999, not "${text}".`);
  return Number(text);
}

async function list({ kinora, isJson, print }: Context, { status, search, limit }: ListOptions): Promise<void> {
  const query: ListVideos = {
    limit: Math.min(largestPage, limit),
    ...(status && { status }),
    ...(search && { q: search }),
  };
  const tasks: Task[] = [];
  for await (const task of (await kinora()).videos.list(query)) {
    tasks.push(task);
    if (isJson) print('', task);
    if (tasks.length >= limit) break;
  }
  if (isJson) return;
  print(tasks.length > 0 ? render(tasks) : 'No tasks.', tasks);
}

function render(tasks: readonly Task[]): string {
  const rows = tasks.map((task) => [
    task.id,
    task.is_final || task.status === 'queued' ? task.status : `${task.stage} ${task.progress} %`,
    task.size,
    `${task.duration} s`,
    ago(task.created_at),
  ]);
  const head = ['task', 'status', 'size', 'length', 'created'];
  // In a terminal, the prompt gets the width that the other columns leave, so that no row wraps.
  const widths = renderTable(head, rows)
    .split('\n')
    .map(({ length }) => length);
  const taken = Math.max(...widths) + 2;
  const room = Math.max(shortestPromptLength, (process.stdout.columns ?? Number.POSITIVE_INFINITY) - taken);
  const length = Math.min(promptLength, room);
  const withPrompts = rows.map((row, index) => [...row, oneLine(tasks[index]?.prompt ?? '', length)]);
  return renderTable([...head, 'prompt'], withPrompts);
}
