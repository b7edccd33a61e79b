import { classes } from '../../design/classes.ts';
import { formatCount, formatDuration, formatMoney } from '../../design/format.ts';
import { Plot, type PlotSeries } from '../../design/plot.tsx';
import { durationSteps } from '../../design/plot-data.ts';
import { Table } from '../../design/table.tsx';
import type { Cost, Prices } from './usage-cost.ts';
import { costText } from './usage-figures.tsx';
import { sumOf, timeOf } from './usage-plots.tsx';
import { type Bucket, groupOf, type Result, seriesByGroup, totalsByGroup } from './usage-series.ts';

/** Engine seconds, video seconds and cost by model or by key: over time, and in all. */
export function UsageSplit({
  by,
  buckets,
  bucket,
  nameOf,
  prices,
  costOfGroup,
}: {
  by: 'model' | 'key';
  buckets: readonly Bucket[];
  bucket: 'hour' | 'day';
  nameOf: (id: string) => string;
  prices: Prices | null;
  costOfGroup: (group: string | null, billableSeconds: number) => Cost;
}) {
  const time = timeOf(buckets, bucket);
  const seriesOf = (valueOf: (result: Result) => number): PlotSeries[] =>
    seriesByGroup(buckets, by, valueOf, nameOf).map((one) => ({ ...one, tone: { nth: one.rank } }));
  const costOf = (result: Result): Cost => costOfGroup(groupOf(result, by), result.billable_video_seconds);
  const groups = totalsByGroup(buckets, by);
  const isPriced = prices !== null && groups.some(({ totals }) => totals.billable_video_seconds > 0);
  const costs = isPriced ? seriesOf((result) => costOf(result).high) : [];
  const hasSpans = isPriced && groups.some(({ id, totals }) => isSpan(costOfGroup(id, totals.billable_video_seconds)));
  const seconds = { kind: 'bars', steps: durationSteps, format: formatDuration, ...time } as const;
  const inAll = { summaryName: 'In all', summaryOf: (one: PlotSeries) => formatDuration(sumOf(one)) };
  return (
    <>
      <div className={classes('grid gap-x-8 gap-y-6 lg:grid-cols-2', isPriced && 'xl:grid-cols-3')}>
        {isPriced && (
          <Plot
            title="Cost"
            unit={`${prices.currency} at today’s prices${hasSpans ? ', at most' : ''}, per ${bucket} (UTC)`}
            kind="bars"
            {...time}
            series={costs}
            format={(value) => formatMoney(value, prices.currency)}
            summaryName="In all"
            summaryOf={(one) => formatMoney(sumOf(one), prices.currency)}
            note={costNote(by, hasSpans, prices.leftOut)}
          />
        )}
        <Plot
          title="Video seconds"
          unit={`Length of delivered videos, per ${bucket} (UTC)`}
          series={seriesOf((result) => result.video_seconds)}
          {...seconds}
          {...inAll}
        />
        <Plot
          title="Engine seconds"
          unit={`Time on engines over all attempts, per ${bucket} (UTC)`}
          series={seriesOf((result) => result.engine_seconds)}
          {...seconds}
          {...inAll}
        />
      </div>
      <div className="mt-6">
        <Table
          caption={`Usage by ${by} over the whole period`}
          rows={groups}
          keyOf={({ id }) => id}
          columns={[
            { head: by === 'model' ? 'Model' : 'Caller', cell: ({ id }) => <span title={id}>{nameOf(id)}</span> },
            { head: 'Completed', isNumber: true, cell: ({ totals }) => formatCount(totals.completed) },
            { head: 'Failed', isNumber: true, cell: ({ totals }) => formatCount(totals.failed) },
            { head: 'Cancelled', isNumber: true, isMinor: true, cell: ({ totals }) => formatCount(totals.cancelled) },
            {
              head: 'Video',
              isNumber: true,
              isMinor: true,
              cell: ({ totals }) => formatDuration(totals.video_seconds),
            },
            {
              head: 'Engine',
              isNumber: true,
              isMinor: true,
              cell: ({ totals }) => formatDuration(totals.engine_seconds),
            },
            ...(isPriced
              ? [
                  {
                    head: 'Cost',
                    isNumber: true,
                    className: 'whitespace-nowrap',
                    cell: ({ id, totals }: (typeof groups)[number]) =>
                      costText(costOfGroup(id, totals.billable_video_seconds), prices.currency),
                  },
                ]
              : []),
          ]}
        />
      </div>
    </>
  );
}

function isSpan({ low, high }: Cost): boolean {
  return high - low > 1e-9;
}

function costNote(by: 'model' | 'key', hasSpans: boolean, leftOut: readonly string[]): string | null {
  const sentences = [
    hasSpans && 'If a price depends on the resolution, the highest one counts.',
    by === 'key' && 'Keys are charged the average price of all models.',
    leftOut.length > 0 && `Models in another currency are left out: ${leftOut.join(', ')}.`,
  ].filter((sentence) => sentence !== false);
  return sentences.length > 0 ? sentences.join(' ') : null;
}
