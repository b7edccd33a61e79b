import { type Case, type Column, columns } from './address-case.ts';
import type { CaseRecord } from './record.ts';
import { type Fate, type SubmitUrl } from './submit-url.ts';

/** How many cases of a column run at once; callbacks mostly wait in the delivery queue. */
const lanesOf: Record<Column, number> = { image_url: 6, result_url: 4, callback_url: 80 };

/** Runs all cases. The slow ones all start at once, so that the others must succeed next to them. */
export async function runCases(
  cases: readonly Case[],
  submitters: Record<Column, SubmitUrl>,
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<CaseRecord[]> {
  const records: CaseRecord[] = [];
  const run = async (one: Case): Promise<void> => {
    const { wasCarriedOut, isSlow: _isSlow, ...plain } = one;
    const startedAt = performance.now();
    const fate = await submitters[one.column](one.url).catch(asBroken);
    const milliseconds = Math.round(performance.now() - startedAt);
    records.push({ ...plain, ...fate, milliseconds, wasCarriedOut: wasCarriedOut() });
    if (records.length % 500 === 0) report(`${records.length} of ${cases.length} cases`);
  };
  // One URL per column warms the processes up, because on a busy machine the first one can take longer than a DNS
  // timeout.
  const first = columns.flatMap((column) =>
    cases.filter((one) => one.column === column && one.position === 'legitimate').slice(0, 1),
  );
  for (const { column, url } of first) await submitters[column](url).catch(() => undefined);
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
