import type { BenchSize } from './bench-outcome.ts';
import type { Figures } from './judge-baseline.ts';

/** The judged figures of every bench, by size. */
export type Baseline = Partial<Record<BenchSize, Record<string, Figures>>>;

/** Returns the worse figures that no line of the document explains with their name and new value. */
export function unexplained(before: Baseline, now: Baseline, document: string): string[] {
  const lines = document.split('\n');
  return (['quick', 'normal', 'full'] as const).flatMap((size) =>
    Object.entries(now[size] ?? {}).flatMap(([bench, figures]) =>
      Object.entries(figures).flatMap(([name, figure]) => {
        const earlier = before[size]?.[bench]?.[name];
        if (earlier === undefined || figure <= earlier) return [];
        const isExplained = lines.some((line) => line.includes(`\`${name}\``) && line.includes(` ${figure} `));
        return isExplained ? [] : [`${size} ${bench}: ${name} went from ${earlier} to ${figure}`];
      }),
    ),
  );
}
