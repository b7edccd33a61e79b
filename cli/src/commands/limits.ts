import type { Limits } from '@kinora/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { renderTable } from '../terminal/table.ts';

/** Adds `kinora limits`, which shows the project's limits and how much of each is used. */
export function addLimits(program: Command, context: () => Context): void {
  program
    .command('limits')
    .description('what the project may do, and how much of it is used')
    .action(async () => {
      const { kinora, print } = context();
      const limits = await (await kinora()).limits();
      print(renderLimits(limits), limits);
    });
}

/** Renders one table for the limits on concurrent tasks and one for the rate limits. */
export function renderLimits({ livemode, creates, reads, waiting, running }: Limits): string {
  const counts = [
    ['running', String(running.used), String(running.limit)],
    ['waiting', String(waiting.used), String(waiting.limit)],
  ];
  const rates = [
    ['creates', ...rateCells(creates)],
    ['reads', ...rateCells(reads)],
  ];
  return [
    `The key is of ${livemode ? 'live' : 'test'} mode; the other mode has limits of its own.`,
    renderTable(['tasks', 'now', 'at most'], counts),
    renderTable(['requests', 'a minute', 'at once', 'left now', 'all again in'], rates),
  ].join('\n\n');
}

function rateCells({ limit_per_minute: perMinute, burst, remaining, reset_seconds: seconds }: Limits['reads']) {
  return [String(perMinute), String(burst), String(remaining), remaining >= burst ? '–' : `${seconds} s`];
}
