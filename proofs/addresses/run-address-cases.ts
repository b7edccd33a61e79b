import { type Case, type Column, columns } from './address-case.ts';
import type { CaseRecord } from './record.ts';
import { type Fate, type SubmitUrl } from './submit-url.ts';

/** How many images of one project Kinora takes in at once. More would wait for each other, and a case is timed. */
export const imagesPerProject = 4;
/** How many cases of a column run at once; callbacks mostly wait in the delivery queue. */
const lanesOf: Record<Column, number> = { image_url: imagesPerProject, result_url: 4, callback_url: 80 };

/** Runs all cases. The slow ones start first, those of images in `slowImageLanes`: the others must succeed next to them. */
export async function runCases(
  cases: readonly Case[],
  submitters: Record<Column, SubmitUrl>,
  slowImageLanes: readonly SubmitUrl[],
  report: (line: string) => void,
  signal: AbortSignal,
): Promise<CaseRecord[]> {
  const records: CaseRecord[] = [];
  const run = async (one: Case, submit = submitters[one.column]): Promise<void> => {
    const { wasCarriedOut, isSlow: _isSlow, ...plain } = one;
    const startedAt = performance.now();
    const fate = await submit(one.url).catch(asBroken);
    const milliseconds = Math.round(performance.now() - startedAt);
    records.push({ ...plain, ...fate, milliseconds, wasCarriedOut: wasCarriedOut() });
    if (records.length % 500 === 0) report(`${records.length} of ${cases.length} cases`);
  };
  // One URL per column warms up, because on a busy machine the first can take longer than a DNS timeout.
  const first = columns.flatMap((column) =>
    cases.filter((one) => one.column === column && one.position === 'legitimate').slice(0, 1),
  );
  for (const { column, url } of first) await submitters[column](url).catch(() => undefined);
  const runInTurn = async (waiting: Case[], submit?: SubmitUrl): Promise<void> => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) await run(next, submit);
  };
  const slow = cases.filter(({ isSlow, column }) => isSlow && column !== 'image_url').map((one) => run(one));
  const slowImages = cases.filter(({ isSlow, column }) => isSlow && column === 'image_url');
  const lanes = [
    ...slowImageLanes.map((submit) => runInTurn(slowImages, submit)),
    ...columns.flatMap((column) => {
      const waiting = cases.filter((one) => one.column === column && !one.isSlow);
      return Array.from({ length: lanesOf[column] }, () => runInTurn(waiting));
    }),
  ];
  await Promise.all([...slow, ...lanes]);
  signal.throwIfAborted();
  return records;
}

function asBroken(error: unknown): Fate {
  return { ending: 'broken', detail: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}
