import type { BenchOutcome } from './bench-outcome.ts';
import { round } from './judge-baseline.ts';

/** A figure that a bench shows. */
type Figure = readonly [bench: string, name: string];

/** What a piece of work may cost. Targets are shown after a run and never fail it: the baseline does that. */
interface Target {
  work: string;
  unit: 'µs' | 'ms' | 's' | 'MB';
  measured: Figure;
  /** The same work with the least code, or the least that is possible. */
  bare?: Figure | number;
  /** The most in the unit, or the most in multiples of `bare`. */
  atMost: number | { timesBare: number };
}

export interface TargetRow {
  work: string;
  bare: string;
  measured: string;
  target: string;
  isReached: boolean;
}

const readTargets = (state: string, timesBare: number): Target => ({
  work: `read a task, ${state.replace('_', ' ')}`,
  unit: 'µs',
  measured: ['read', `read ${state}: CPU µs`],
  bare: ['read', 'bare read: CPU µs'],
  atMost: { timesBare },
});

const footprintTargets = (role: string, mostMegabytes: number): Target[] => [
  {
    work: `memory of an idle ${role}`,
    unit: 'MB',
    measured: ['footprint', `${role}: MB`],
    bare: ['footprint', 'bare Node: MB'],
    atMost: mostMegabytes,
  },
  { work: `start of the ${role} until ready`, unit: 's', measured: ['footprint', `${role}: s until ready`], atMost: 1 },
];

const targets: readonly Target[] = [
  {
    work: 'create, API and Postgres',
    unit: 'µs',
    measured: ['create', 'create: CPU µs'],
    bare: ['create', 'bare create: CPU µs'],
    atMost: { timesBare: 2.5 },
  },
  readTargets('completed', 3),
  readTargets('in_progress', 3),
  readTargets('queued', 4),
  {
    work: 'a whole task without media programs',
    unit: 'ms',
    measured: ['task', 'task: CPU ms without media programs'],
    bare: ['task', 'bare workflow: CPU ms'],
    atMost: { timesBare: 1.5 },
  },
  {
    work: 'four tasks at once on an engine of 10 s, the last completed',
    unit: 's',
    measured: ['task', 'four tasks of 10 s: s'],
    bare: 10,
    atMost: 10.5,
  },
  {
    work: 'one task alone, from create to completed',
    unit: 'ms',
    measured: ['task', 'task alone: p50 ms'],
    bare: ['task', 'bare workflow alone: p50 ms'],
    atMost: 300,
  },
  {
    work: 'admitting a task, 46 partitions, Postgres',
    unit: 'ms',
    measured: ['footprint', 'admission: Postgres CPU ms'],
    atMost: 1,
  },
  {
    work: 'snapshot of the queues, 10⁴ projects, whole installation',
    unit: 'ms',
    measured: ['footprint', 'snapshot: CPU ms'],
    atMost: 5,
  },
  ...Object.entries({ api: 150, relay: 110, worker: 220, animatic: 140 }).flatMap(([role, megabytes]) =>
    footprintTargets(role, megabytes),
  ),
];

type Results = Readonly<Record<string, Pick<BenchOutcome, 'shown'>>>;

/** Returns a row for each target whose figure was measured. */
export function targetRows(results: Results): TargetRow[] {
  return targets.flatMap(({ work, unit, measured, bare, atMost }) => {
    const figure = readFigure(results, measured);
    if (figure === null) return [];
    const bareFigure = typeof bare === 'object' ? readFigure(results, bare) : (bare ?? null);
    const limit = typeof atMost === 'number' ? atMost : atMost.timesBare * (bareFigure ?? Number.NaN);
    const times = typeof atMost === 'number' ? '' : ` (${atMost.timesBare} × bare)`;
    return [
      {
        work,
        bare: bareFigure === null ? '–' : `${round(bareFigure)} ${unit}`,
        measured: `${round(figure)} ${unit}`,
        target: `${round(limit)} ${unit}${times}`,
        isReached: figure <= limit,
      },
    ];
  });
}

/** Returns the rows as a table for a terminal and for a document. */
export function targetTable(rows: readonly TargetRow[]): string[] {
  if (rows.length === 0) return [];
  const cells = [
    ['Work', 'Bare', 'Measured', 'Target', 'Reached'],
    ...rows.map(({ work, bare, measured, target, isReached }) => [
      work,
      bare,
      measured,
      target,
      isReached ? 'yes' : 'no',
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const [head, ...body] = cells.map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
  return [head ?? '', `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...body];
}

function readFigure(results: Results, [bench, name]: Figure): number | null {
  const figure = results[bench]?.shown[name];
  return typeof figure === 'number' ? figure : null;
}
