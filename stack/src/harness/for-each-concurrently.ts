import { interrupted } from './interruption.ts';

/** Processes the items in order, at most `concurrency` at once. Starts no further item after an interruption. */
export async function forEachConcurrently<T>(
  concurrency: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const processRest = async (): Promise<void> => {
    for (let next = rest.next(); !next.done && !interrupted.aborted; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: concurrency }, processRest));
}
