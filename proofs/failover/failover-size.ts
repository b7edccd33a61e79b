import type { ProofSize } from '../proof.ts';

const interruptions = ['a black hole', 'a read-only primary'] as const;
export const failoverFaults = [...interruptions, 'a failover'] as const;
export type FailoverFault = (typeof failoverFaults)[number];

export interface FailoverSize {
  faults: readonly FailoverFault[];
  /** How long each fault lasts. */
  faultSeconds: number;
  /** The least number of tasks that must have been created. */
  tasks: number;
  /** How many tasks are active at any time. */
  active: number;
}

export const failoverSizes: Record<ProofSize, FailoverSize> = {
  // Longer than the time-outs of a connection (3 s), and than the interval in which owners check their locks.
  ci: { faults: failoverFaults, faultSeconds: 10, tasks: 30, active: 4 },
  full: { faults: [...interruptions, ...interruptions, ...failoverFaults], faultSeconds: 45, tasks: 200, active: 6 },
};
