import type { Cost } from '../../server/src/domain/installation-plan.ts';

/** A figure of the plan beside what was measured. */
export interface JudgedFigure {
  figure: string;
  planned: number;
  measured: number;
  /** By which share the plan may be off. */
  allowed: number;
}

/** What is written follows from the code. CPU time also depends on the machine and on what else it does. */
const allowedShares = { written: 0.1, cpu: 0.25 };

export function judgePlan(planned: Cost, measured: Cost): JudgedFigure[] {
  const cpuOf = ({ api, relay, worker, media, postgres, temporal, store }: Cost) =>
    api + relay + worker + media + postgres + temporal + store;
  return [
    ...(['walBytes', 'commits', 'statements', 'databaseBytes'] as const).map((figure) => ({
      figure,
      planned: planned[figure],
      measured: measured[figure],
      allowed: allowedShares.written,
    })),
    { figure: 'CPU seconds', planned: cpuOf(planned), measured: cpuOf(measured), allowed: allowedShares.cpu },
  ];
}
