import { explainPostgres, explainStore, explainTemporal, type PartProblem, within } from './part-problems.ts';
import type { Parts } from './parts.ts';

/** Whether a part responds, and how fast. */
export interface PartHealth {
  part: PartProblem['part'];
  status: 'ok' | 'failed';
  milliseconds: number;
  /** What is wrong and what to do, without secrets; null if nothing is wrong. */
  message: string | null;
}

/** Asks Postgres, Temporal and the store for a sign of life. Each has 5 s. */
export async function checkPartHealth({
  db,
  workflows,
  storage,
}: Pick<Parts, 'db' | 'workflows' | 'storage'>): Promise<PartHealth[]> {
  return Promise.all([
    measure('postgres', () => db.check(), explainPostgres),
    measure('temporal', () => workflows.check(), explainTemporal),
    measure('store', () => storage.check(), explainStore),
  ]);
}

async function measure(
  part: PartHealth['part'],
  call: () => Promise<unknown>,
  explain: (error: unknown) => PartProblem,
): Promise<PartHealth> {
  const before = performance.now();
  const problem = await within(call(), explain);
  return {
    part,
    status: problem ? 'failed' : 'ok',
    milliseconds: Math.round(performance.now() - before),
    message: problem && `${problem.reason} ${problem.remedy}`,
  };
}
