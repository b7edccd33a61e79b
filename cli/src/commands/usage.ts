import type { Usage } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { renderTable } from '../terminal/table.ts';

type Bucket = 'hour' | 'day';
type Group = 'model' | 'key' | 'code';
type Result = Usage['data'][number]['results'][number];

/** Adds `kinora usage`, which shows how many videos the project made and how long they took. */
export function addUsage(program: Command, context: () => Context): void {
  program
    .command('usage')
    .description('what the project made: the last 30 days, or 48 hours')
    .addOption(new Option('--by <time>', 'how much time a row covers').choices(['hour', 'day']).default('day'))
    .addOption(
      new Option('--group <what>', 'a row for each model, key or code of failures').choices(['model', 'key', 'code']),
    )
    .action(async ({ by, group }: { by: Bucket; group?: Group }) => {
      const { kinora, print } = context();
      const usage = await (await kinora()).usage.get({ bucket: by, ...(group && { group_by: group }) });
      print(renderUsage(usage, by, group), usage);
    });
}

/** Renders one row per bucket in which a task ended, and a total. */
export function renderUsage({ data }: Usage, by: Bucket, group?: Group): string {
  const used = data.flatMap(({ start, results }) =>
    results.filter(({ tasks }) => tasks > 0).map((result) => ({ start, result })),
  );
  if (used.length === 0) return `Nothing ended in the last ${by === 'day' ? '30 days' : '48 hours'}.`;
  const rows = used.map(({ start, result }) => [
    momentOf(start, by),
    ...(group ? [groupOf(result, group)] : []),
    ...countsOf([result]),
    spread(result.waiting_seconds),
    spread(result.rendering_seconds),
  ]);
  const sum = ['in all', ...(group ? [''] : []), ...countsOf(used.map(({ result }) => result)), '', ''];
  const counted = ['tasks', 'completed', 'failed', 'cancelled', 'video s', 'engine s', 'waited s', 'rendered s'];
  const head = [`${by} (UTC)`, ...(group ? [group] : []), ...counted];
  return `${renderTable(head, rows.length > 1 ? [...rows, sum] : rows)}\n\nWaited and rendered: half of the tasks, and nine of ten, took at most this.`;
}

function momentOf(start: number, by: Bucket): string {
  const [date = '', time = ''] = new Date(start * 1000).toISOString().split('T');
  return by === 'day' ? date : `${date} ${time.slice(0, 5)}`;
}

function groupOf(result: Result, group: Group): string {
  if (group === 'code') return result.code ?? 'no failure';
  return (group === 'key' ? result.key_id : result.model) ?? '–';
}

function countsOf(results: readonly Result[]): string[] {
  const sum = (numberOf: (result: Result) => number) => results.reduce((all, result) => all + numberOf(result), 0);
  return [
    String(sum(({ tasks }) => tasks)),
    String(sum(({ completed }) => completed)),
    String(sum(({ failed }) => failed)),
    String(sum(({ cancelled }) => cancelled)),
    String(sum((result) => result.video_seconds)),
    sum((result) => result.engine_seconds).toFixed(1),
  ];
}

function spread(percentiles: Result['waiting_seconds']): string {
  return percentiles === null ? '–' : `${percentiles.p50.toFixed(1)} / ${percentiles.p90.toFixed(1)}`;
}
