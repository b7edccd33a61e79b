import { type Case, type Column, columns } from './address-case.ts';
import { type Ask, type Fate } from './ask-columns.ts';
import type { CaseRecord } from './record.ts';

/** How many of a column are under way at once; callbacks mostly wait for their turn in the queue. */
const lanesOf: Record<Column, number> = { image_url: 6, result_url: 4, callback_url: 80 };

/** Runs all cases: the slow ones at once and to the side, so that the others have to live with them. */
export async function runCases(
  cases: readonly Case[],
  asks: Record<Column, Ask>,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<CaseRecord[]> {
  const records: CaseRecord[] = [];
  const run = async (one: Case): Promise<void> => {
    const { wasCarriedOut, isSlow: _isSlow, ...plain } = one;
    const startedAt = performance.now();
    const fate = await asks[one.column](one.url).catch(asBroken);
    const milliseconds = Math.round(performance.now() - startedAt);
    records.push({ ...plain, ...fate, milliseconds, wasCarriedOut: wasCarriedOut() });
    if (records.length % 500 === 0) report(`${records.length} of ${cases.length} cases`);
  };
  // The first ones pay for what is paid once, which on a busy machine is more time than a name server is given.
  const first = columns.flatMap((column) =>
    cases.filter((one) => one.column === column && one.position === 'legitimate').slice(0, 1),
  );
  for (const { column, url } of first) await asks[column](url).catch(() => undefined);
  const slow = cases.filter(({ isSlow }) => isSlow).map(run);
  const lanes = columns.flatMap((column) => {
    const waiting = cases.filter((one) => one.column === column && !one.isSlow);
    return Array.from({ length: lanesOf[column] }, async () => {
      for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) await run(next);
    });
  });
  await Promise.all([...slow, ...lanes]);
  signal.throwIfAborted();
  return records;
}

function asBroken(error: unknown): Fate {
  return { ending: 'broken', detail: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}
