import type { Cost } from './usage-cost.ts';
import { type Bucket, type Grouping, groupOf } from './usage-series.ts';

type Cell = string | number | null;

/** Returns rows as CSV (RFC 4180). Spreadsheets run a text that starts like a formula, so such a text gets an apostrophe. */
export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = /^[=+\-@\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export interface UsageTable {
  by: Grouping | null;
  buckets: readonly Bucket[];
  nameOf: (id: string) => string;
  costOf: ((group: string | null, billableSeconds: number) => Cost) | null;
}

/** Returns everything that the page shows, one row per bucket and group. */
export function usageCsv(tables: readonly UsageTable[], currency: string | null): string {
  const money = currency ?? 'no_price';
  const head = [
    'start',
    'end',
    'split_by',
    'id',
    'name',
    'tasks',
    'completed',
    'failed',
    'cancelled',
    'video_seconds',
    'billable_video_seconds',
    'engine_seconds',
    `cost_low_${money}`,
    `cost_high_${money}`,
    'waiting_p50_seconds',
    'waiting_p90_seconds',
    'waiting_p99_seconds',
    'rendering_p50_seconds',
    'rendering_p90_seconds',
    'rendering_p99_seconds',
  ];
  const rows = tables.flatMap(({ by, buckets, nameOf, costOf }) =>
    buckets.flatMap(({ start, end, results }) =>
      results.map((result): Cell[] => {
        const id = by && groupOf(result, by);
        const cost = costOf?.(id, result.billable_video_seconds) ?? null;
        const { waiting_seconds: waiting, rendering_seconds: rendering } = result;
        return [
          isoText(start),
          isoText(end),
          by ?? 'total',
          id,
          id === null ? null : nameOf(id),
          result.tasks,
          result.completed,
          result.failed,
          result.cancelled,
          result.video_seconds,
          result.billable_video_seconds,
          result.engine_seconds,
          cost && round(cost.low),
          cost && round(cost.high),
          waiting?.p50 ?? null,
          waiting?.p90 ?? null,
          waiting?.p99 ?? null,
          rendering?.p50 ?? null,
          rendering?.p90 ?? null,
          rendering?.p99 ?? null,
        ];
      }),
    ),
  );
  return toCsv([head, ...rows]);
}

function isoText(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** A millionth: prices have few digits, and binary fractions would show many. */
function round(amount: number): number {
  return Number(amount.toFixed(6));
}
