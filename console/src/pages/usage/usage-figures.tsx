import type { ReactNode } from 'react';
import { classes } from '../../design/classes.ts';
import { formatCount, formatDuration, formatMoney } from '../../design/format.ts';
import { Skeleton } from '../../design/states.tsx';
import { type Cost, type Prices, totalCost } from './usage-cost.ts';
import { type Bucket, failureShare, totalsOf } from './usage-series.ts';

/** Returns an amount, or the span of one that depends on the resolution. */
export function costText({ low, high }: Cost, currency: string): string {
  const [from, to] = [formatMoney(low, currency), formatMoney(high, currency)];
  return from === to ? from : `${from} – ${to}`;
}

/** The three numbers of a period and how each differs from the period before. */
export function UsageFigures({
  now,
  before,
  prices,
  length,
}: {
  /** Both grouped by model. */
  now: readonly Bucket[] | undefined;
  before: readonly Bucket[] | undefined;
  prices: Prices | null;
  length: string;
}) {
  if (!now) {
    return (
      <div role="status" aria-label="Loading" className="mb-8 grid gap-4 sm:grid-cols-3">
        {[0, 1, 2].map((index) => (
          <Skeleton key={index} className="h-24" />
        ))}
      </div>
    );
  }
  const totals = totalsOf(now);
  const earlier = before && totalsOf(before);
  const share = failureShare(totals);
  const earlierShare = earlier ? failureShare(earlier) : null;
  // Test mode is free, so its cost says nothing.
  const isPriced = prices !== null && totals.billable_video_seconds + (earlier?.billable_video_seconds ?? 0) > 0;
  return (
    <dl className="mb-8 grid border-y sm:grid-cols-3 sm:divide-x max-sm:divide-y">
      <Figure name="Completed" value={formatCount(totals.completed)}>
        {changeText(totals.completed, earlier?.completed, length)}
      </Figure>
      <Figure
        name="Failed"
        value={share === null ? '–' : percent(share)}
        isWorse={share !== null && earlierShare !== null && share > earlierShare}
      >
        {share === null
          ? 'of completed and failed tasks'
          : earlierShare === null
            ? `${formatCount(totals.failed)} of ${formatCount(totals.completed + totals.failed)} tasks`
            : `${formatCount(totals.failed)} of ${formatCount(totals.completed + totals.failed)} tasks, ${percent(earlierShare)} in the ${length} before`}
      </Figure>
      {isPriced ? (
        <Figure name="Cost, at today’s prices" value={costText(totalCost(prices, now), prices.currency)}>
          {changeText(totalCost(prices, now).high, before && totalCost(prices, before).high, length)}
        </Figure>
      ) : (
        <Figure name="Video made" value={formatDuration(totals.video_seconds)}>
          {changeText(totals.video_seconds, earlier?.video_seconds, length)}
        </Figure>
      )}
    </dl>
  );
}

function Figure({
  name,
  value,
  isWorse = false,
  children,
}: {
  name: string;
  value: string;
  isWorse?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="py-3 sm:px-4 sm:first:pl-0">
      <dt className="text-quiet">{name}</dt>
      <dd className={classes('font-semibold', value.length > 12 ? 'text-head leading-10' : 'text-figure')}>{value}</dd>
      <dd className={classes('text-small', isWorse ? 'text-failed' : 'text-quiet')}>{children}</dd>
    </div>
  );
}

/** Returns how a number changed: `12 % more than in the 7 days before`. */
export function changeText(now: number, before: number | undefined, length: string): string {
  if (before === undefined) return '…';
  if (before === 0) return now === 0 ? `None in the ${length} before either` : `None in the ${length} before`;
  const change = (now - before) / before;
  if (Math.abs(change) < 0.005) return `Same as in the ${length} before`;
  // "900 % more" is harder to grasp than "10 times".
  if (change >= 2) return `${Math.round((now / before) * 10) / 10} times that of the ${length} before`;
  return `${Math.round(Math.abs(change) * 100)} % ${change > 0 ? 'more' : 'less'} than in the ${length} before`;
}

function percent(share: number): string {
  return `${share < 0.1 ? Number((share * 100).toFixed(1)) : Math.round(share * 100)} %`;
}
