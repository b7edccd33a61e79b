import type { Cost } from './usage-cost.ts';
import { type Bucket, type Grouping, groupOf, type Result } from './usage-series.ts';

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

interface Row {
  bucket: Bucket;
  result: Result;
  by: Grouping | null;
  id: string | null;
  name: string | null;
  cost: Cost | null;
}

type Columns = readonly (readonly [string, (row: Row) => Cell])[];

const columns: Columns = [
  ['start', ({ bucket }) => isoText(bucket.start)],
  ['end', ({ bucket }) => isoText(bucket.end)],
  ['split_by', ({ by }) => by ?? 'total'],
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['tasks', ({ result }) => result.tasks],
  ['completed', ({ result }) => result.completed],
  ['failed', ({ result }) => result.failed],
  ['cancelled', ({ result }) => result.cancelled],
  ['video_seconds', ({ result }) => result.video_seconds],
  ['billable_video_seconds', ({ result }) => result.billable_video_seconds],
  ['engine_seconds', ({ result }) => result.engine_seconds],
  ...(['p50', 'p90', 'p99'] as const).flatMap(
    (name): Columns => [
      [`waiting_${name}_seconds`, ({ result }) => result.waiting_seconds?.[name] ?? null],
      [`rendering_${name}_seconds`, ({ result }) => result.rendering_seconds?.[name] ?? null],
    ],
  ),
];

/** Returns everything that the page shows, one row per bucket and group. Without a price list there are no costs. */
export function usageCsv(tables: readonly UsageTable[], currency: string | null): string {
  const costs: Columns = [
    [`cost_low_${currency}`, ({ cost }) => cost && round(cost.low)],
    [`cost_high_${currency}`, ({ cost }) => cost && round(cost.high)],
  ];
  const all = currency === null ? columns : [...columns, ...costs];
  const rows = tables.flatMap(({ by, buckets, nameOf, costOf }) =>
    buckets.flatMap((bucket) =>
      bucket.results.map((result): Row => {
        const id = by && groupOf(result, by);
        const cost = costOf?.(id, result.billable_video_seconds) ?? null;
        return { bucket, result, by, id, name: id === null ? null : nameOf(id), cost };
      }),
    ),
  );
  return toCsv([all.map(([name]) => name), ...rows.map((row) => all.map(([, cellOf]) => cellOf(row)))]);
}

function isoText(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

/** A millionth: prices have few digits, and binary fractions would show many. */
function round(amount: number): number {
  return Number(amount.toFixed(6));
}
