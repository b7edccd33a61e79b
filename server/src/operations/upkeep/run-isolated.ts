/** A failure in one step of a round: of the step's query, or of one item. */
export interface StepFailure {
  step: string;
  error: unknown;
}

/** 20: so many failures are an outage rather than bad items, and each may take as long as a time-out. */
const maximumFailures = 20;

/** Works on every item that `read` returns, `atOnce` at a time. A failure stops neither the other items nor the caller. */
export async function runIsolated<Item, Result>(
  step: string,
  read: () => Promise<readonly Item[]>,
  work: (item: Item) => Promise<Result>,
  atOnce: number,
): Promise<{ results: Result[]; failures: StepFailure[] }> {
  const results: Result[] = [];
  const failures: StepFailure[] = [];
  const queue: Item[] = [];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      try {
        results.push(await work(item));
      } catch (error) {
        failures.push({ step, error });
        if (failures.length >= maximumFailures) return;
      }
    }
  };
  try {
    queue.push(...(await read()));
  } catch (error) {
    failures.push({ step, error });
  }
  await Promise.all(Array.from({ length: atOnce }, lane));
  return { results, failures };
}
