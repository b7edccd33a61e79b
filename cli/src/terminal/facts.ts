import { oneLine } from './one-line.ts';
import { wrapTo } from './text-width.ts';

/** A name and a value. Facts without a value are left out. */
export type Fact = readonly [name: string, value: string | null];

/** Renders one fact per line. A long value continues below itself. */
export function renderFacts(facts: readonly Fact[], columns: number = Number.POSITIVE_INFINITY): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = facts.flatMap(([name, value]) => {
    if (!value) return [];
    // A URL stays whole: a terminal that wraps it by itself still copies it as one.
    const texts = name === 'url' ? [value] : wrapTo(oneLine(value), columns - width - 2);
    return texts.map((text, index) => `${(index === 0 ? name : '').padEnd(width)}  ${text}`);
  });
  return lines.join('\n');
}
