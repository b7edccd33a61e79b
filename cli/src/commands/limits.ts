import type { Limits } from '@kinora/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { renderTable } from '../terminal/table.ts';

/** Adds `kinora limits`, which shows the project's limits and how much of each is used. */
export function addLimits(program: Command, context: () => Context): void {
  program
    .command('limits')
    .description('show the limits of the project and how much of each is used')
    .action(async () => {
      const { kinora, print, columns } = context();
      const limits = await (await kinora()).limits.get();
      print(renderLimits(limits, columns), limits);
    });
}

/** Renders one table for tasks, one for what is stored and one for the rate limits. */
export function renderLimits(limits: Limits, columns?: number): string {
  const { livemode, creates, reads, uploads, waiting, waiting_total: waitingTotal, running, storage, files } = limits;
  const counts = [
    ['running', String(running.used), String(running.limit)],
    ['waiting, for one model', String(waiting.used), String(waiting.limit)],
    ['waiting, in all', String(waitingTotal.used), String(waitingTotal.limit)],
  ];
  const stored = [
    ['bytes', gigabytes(storage.used_bytes), gigabytes(storage.limit_bytes)],
    ['uploaded files', String(files.used), String(files.limit)],
  ];
  const rates = [
    ['creates', ...rateCells(creates)],
    ['reads', ...rateCells(reads)],
    ['uploads', ...rateCells(uploads)],
  ];
  return [
    `Limits in ${livemode ? 'live mode. Test' : 'test mode. Live'} mode has its own.`,
    renderTable(['tasks', 'now', 'at most'], counts, columns),
    renderTable(['stored', 'now', 'at most'], stored, columns),
    renderTable(['requests', 'per minute', 'burst', 'remaining', 'resets in'], rates, columns),
  ].join('\n\n');
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

function rateCells({ limit_per_minute: perMinute, burst, remaining, reset_seconds: seconds }: Limits['reads']) {
  return [String(perMinute), String(burst), String(remaining), remaining >= burst ? '–' : `${seconds} s`];
}
