import { interrupted } from './interruption.ts';

/** Does the work on every item, so many at a time, in their order; stops taking more when the proof is interrupted. */
export async function inLanes<T>(lanes: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (let next = rest.next(); !next.done && !interrupted.aborted; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
