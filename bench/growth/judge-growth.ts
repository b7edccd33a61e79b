import { type Cost, smallestJudged } from './plan-cost.ts';

/** How many times the pages of the smallest state an operation of the hot path may read with a backlog of 10⁶ tasks. */
const mostGrowth = 1.2;

type States = readonly [name: string, costs: ReadonlyMap<string, Cost | null>][];

/**
 * Compares what the operations read in the second state, which has a larger backlog and nothing else more, with what they
 * read in the first. Returns a line per operation, and a sentence for each that reads too much. A single state has no
 * growth to judge.
 */
export function judgeGrowth(hot: ReadonlySet<string>, states: States): { lines: string[]; failures: string[] } {
  const [[smallName, small] = ['', new Map<string, Cost | null>()], large] = states;
  if (!large) return { lines: [], failures: [] };
  const [largeName, costs] = large;
  const lines: string[] = [];
  const failures: string[] = [];
  for (const name of hot) {
    const [before, after] = [small.get(name), costs.get(name)];
    if (!before || !after) {
      failures.push(`growth: ${name} was not measured in both states`);
      continue;
    }
    const ratio = Math.max(smallestJudged, after.buffers) / Math.max(smallestJudged, before.buffers);
    lines.push(`${name}: ${before.buffers} → ${after.buffers} pages, ${ratio.toFixed(2)} times`);
    if (ratio > mostGrowth)
      failures.push(
        `growth: ${name} reads ${after.buffers} pages with ${largeName}, ${ratio.toFixed(2)} times the ${before.buffers} with ${smallName}`,
      );
  }
  return { lines, failures };
}
