import { interrupted } from './interruption.ts';

/** Works on every item in order, at most `lanes` at a time. Starts no more of them after the proof was interrupted. */
export async function inLanes<T>(lanes: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (let next = rest.next(); !next.done && !interrupted.aborted; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
