import type { Usage } from '@kinora/sdk';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { helpExamples } from '../help-examples.ts';
import { type Column, renderTable } from '../terminal/table.ts';

type Bucket = 'hour' | 'day';
type Group = 'model' | 'key' | 'code';
type Result = Usage['data'][number]['results'][number];

const counted: Column[] = [
  { title: 'tasks' },
  { title: 'completed', leftOut: 6 },
  { title: 'failed', leftOut: 5 },
  { title: 'cancelled', leftOut: 3 },
  { title: 'video s', leftOut: 7 },
  { title: 'engine s', leftOut: 4 },
  { title: 'waited s', leftOut: 1 },
  { title: 'rendered s', leftOut: 2 },
];

/** Adds `kinora usage`, which shows how many videos the project made and how long they took. */
export function addUsage(program: Command, context: () => Context): void {
  program
    .command('usage')
    .description('sum up what the project made in the last 30 days, or 48 hours')
    .addOption(new Option('--by <time>', 'one row per hour or day').choices(['hour', 'day']).default('day'))
    .addOption(new Option('--group <what>', 'one row per model, key or failure code').choices(['model', 'key', 'code']))
    .addHelpText('after', helpExamples('kinora usage --group model', 'kinora usage --by hour --group code'))
    .action(async ({ by, group }: { by: Bucket; group?: Group }) => {
      const { kinora, print, columns } = context();
      const usage = await (await kinora()).usage.get({ bucket: by, ...(group && { group_by: group }) });
      print(renderUsage(usage, { by, group, columns }), usage);
    });
}

/** Renders one row per bucket in which a task ended, and a total. */
export function renderUsage(
  { data }: Usage,
  { by, group, columns }: { by: Bucket; group?: Group | undefined; columns?: number },
): string {
  const used = data.flatMap(({ start, results }) =>
    results.filter(({ tasks }) => tasks > 0).map((result) => ({ start, result })),
  );
  if (used.length === 0) return `No tasks ended in the last ${by === 'day' ? '30 days' : '48 hours'}.`;
  const rows = used.map(({ start, result }) => [
    momentOf(start, by),
    ...(group ? [groupOf(result, group)] : []),
    ...countsOf([result]),
    spread(result.waiting_seconds),
    spread(result.rendering_seconds),
  ]);
  const sum = ['total', ...(group ? [''] : []), ...countsOf(used.map(({ result }) => result)), '', ''];
  // The id of a key is useless if it is cut.
  const groupHead = group === 'key' ? { title: group } : { title: group ?? '', shrinksTo: 12 };
  const head: Column[] = [{ title: `${by} (UTC)` }, ...(group ? [groupHead] : []), ...counted];
  const table = renderTable(head, rows.length > 1 ? [...rows, sum] : rows, columns);
  // A narrow terminal has no room for these columns.
  const isTimed = /(waited|rendered) s/.test(table);
  return isTimed ? `${table}\n\nWaiting and rendering times: median / 90th percentile.` : table;
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
