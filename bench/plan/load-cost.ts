/** CPU seconds per part, and what is written. */
export interface Cost {
  api: number;
  relay: number;
  worker: number;
  media: number;
  postgres: number;
  temporal: number;
  store: number;
  /** Of Kinora and of Temporal together, without the images of pages, which depend on checkpoints. */
  walBytes: number;
  commits: number;
  /** Sent to Kinora's database. */
  statements: number;
  /** By which Kinora's database grows. */
  databaseBytes: number;
}

type Part = readonly [factor: number, cost: Cost];

/** Adds up costs, each as often as its factor says. */
export function addCosts(first: Part, ...rest: readonly Part[]): Cost {
  const total = { ...first[1] };
  for (const name of Object.keys(total) as (keyof Cost)[])
    total[name] = [first, ...rest].reduce((sum, [factor, cost]) => sum + factor * cost[name], 0);
  return total;
}
