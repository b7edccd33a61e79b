import type { Command } from 'commander';
import {
  type InstallationPlan,
  mostVideosPerDay,
  type PlannedLoad,
  planInstallation,
} from '../domain/installation-plan.ts';
import { AppError } from '../errors.ts';
import { printTable } from './print-table.ts';
import { readPositiveNumber, readWholeNumber } from './read-option.ts';

export function addPlanCommand(program: Command): void {
  program
    .command('plan')
    .description(
      'compute what a load needs: cells, processes, cores, connections, write-ahead log, storage and network',
    )
    .requiredOption('--videos-per-day <number>', 'videos that callers create', readWholeNumber)
    .requiredOption('--gpus <number>', 'GPUs, each an endpoint with one slot', readWholeNumber)
    .requiredOption('--render-seconds <number>', 'how long a GPU takes for a video', readPositiveNumber)
    .option('--video-megabytes <number>', 'size of a video', readPositiveNumber, 5)
    .option('--json', 'print one JSON object', false)
    .action(({ json, ...load }: PlannedLoad & { json: boolean }) => {
      const most = mostVideosPerDay(load);
      if (load.videosPerDay > most)
        throw new AppError('invalid_parameter', {
          message: `${inWords(load.gpus)} GPUs render at most ${inWords(most)} videos per day of ${load.renderSeconds} s each. Plan fewer videos or more GPUs.`,
        });
      const plan = planInstallation(load);
      if (json) console.log(JSON.stringify(plan, null, 2));
      else printTable(['what', 'figure'], planRows(plan));
    });
}

/** Returns what a plan says, name by name. */
export function planRows({ perCell, walGigabytesPerDay: wal, ...plan }: InstallationPlan): [string, string][] {
  const { api, relay, worker, temporal } = perCell.processes;
  return [
    ['Videos per second, running jobs', inPair(plan.videosPerSecond, plan.runningJobs)],
    ['Cells', inWords(plan.cells)],
    ['Per cell: api, relay, worker, Temporal', [api, relay, worker, temporal].map(inWords).join(', ')],
    ['Per cell: cores that the load needs, to provide', inPair(perCell.cores, perCell.coresToProvide)],
    ['Per cell: GB of memory, connections to Postgres', inPair(perCell.memoryGigabytes, perCell.connections)],
    ['Per cell: statements, commits per second', inPair(perCell.statementsPerSecond, perCell.commitsPerSecond)],
    ['Per cell: WAL per second', inBytes(perCell.walMegabytesPerSecond * 1e6)],
    ['WAL per day', `${inBytes(wal.least * 1e9)} to ${inBytes(wal.most * 1e9)}`],
    ['Records after 30 days', inBytes(plan.databaseGigabytes * 1e9)],
    ['Videos after 7 days', inBytes(plan.bucketTerabytes * 1e12)],
    ['Network: videos into the store, and as much out', `${inWords(plan.videoMegabitsPerSecond)} Mbit/s`],
  ];
}

function inPair(one: number, other: number): string {
  return `${inWords(one)}, ${inWords(other)}`;
}

function inWords(figure: number): string {
  return Number(figure.toPrecision(figure < 1_000 ? 2 : 3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });
}

function inBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes) / 3)));
  return `${inWords(bytes / 1_000 ** power)} ${units[power]}`;
}
