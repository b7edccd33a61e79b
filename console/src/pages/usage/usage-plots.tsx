import { formatCount, formatDuration } from '../../design/format.ts';
import { Plot, type PlotSeries } from '../../design/plot.tsx';
import { durationSteps } from '../../design/plot-data.ts';
import { type Bucket, percentileSeries, seriesByGroup } from './usage-series.ts';

interface Time {
  starts: readonly number[];
  bucketSeconds: number;
  bucket: 'hour' | 'day';
}

/** Returns the values of one series together. */
export function sumOf({ values }: PlotSeries): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

export function timeOf(buckets: readonly Bucket[], bucket: 'hour' | 'day'): Time {
  return { starts: buckets.map(({ start }) => start), bucketSeconds: bucket === 'hour' ? 3_600 : 86_400, bucket };
}

/** How tasks ended: completed, cancelled, and failed by code. */
export function RequestsPlot({
  total,
  byCode,
  time,
}: {
  total: readonly Bucket[];
  byCode: readonly Bucket[];
  time: Time;
}) {
  const failures = seriesByGroup(
    byCode,
    'code',
    (result) => result.failed,
    (code) => code,
  );
  const series: PlotSeries[] = [
    { name: 'Completed', tone: 'done', values: total.map(({ results: [result] }) => result?.completed ?? 0) },
    { name: 'Cancelled', tone: 'cancelled', values: total.map(({ results: [result] }) => result?.cancelled ?? 0) },
    ...failures.map((one) => ({ ...one, tone: { failed: one.rank, of: failures.length } })),
  ];
  return (
    <Plot
      title="Requests"
      unit={`Tasks that ended, per ${time.bucket} (UTC)`}
      kind="bars"
      {...time}
      series={series.filter((one) => one.tone === 'done' || sumOf(one) > 0)}
      format={(value) => (Number.isInteger(value) ? formatCount(value) : '')}
      summaryName="In all"
      summaryOf={(one) => formatCount(sumOf(one))}
    />
  );
}

/** Percentiles of a duration. The median is solid, and what few tasks meet is dashed. */
export function PercentilesPlot({
  title,
  about,
  of,
  total,
  time,
}: {
  title: string;
  about: string;
  of: 'waiting_seconds' | 'rendering_seconds';
  total: readonly Bucket[];
  time: Time;
}) {
  const series = percentileSeries(total, of).map((one, index) => ({
    ...one,
    name: ['Half within (p50)', '90 % within (p90)', '99 % within (p99)'][index] ?? one.name,
    tone: { nth: index },
    isDashed: index === 2,
  }));
  return (
    <Plot
      title={title}
      unit={`${about}, per ${time.bucket} (UTC)`}
      kind="lines"
      {...time}
      series={series}
      format={formatDuration}
      steps={durationSteps}
      summaryName="Latest"
      summaryOf={(one) => {
        const last = one.values.findLast((value) => value !== null);
        return last === undefined || last === null ? '–' : formatDuration(last);
      }}
    />
  );
}
