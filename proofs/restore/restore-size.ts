import type { UsualRole } from '@kinora/stack/harness/installation';
import type { ProofSize } from '../proof.ts';

/** How many seconds the clock of one process of each role is ahead; negative if it is behind. */
export interface Skew extends Partial<Record<UsualRole, number>> {
  /** Whether no other process of these roles runs, as in a small installation. */
  isAlone?: boolean;
}

export interface RestoreSize {
  /** The least number of tasks that must have been created. */
  tasks: number;
  /** How many tasks are active at any time. */
  active: number;
  /** How long tasks are created and completed after the moment to which the database is restored. */
  lostSeconds: number;
  /** The wrong clocks, one step after the other. */
  skews: readonly Skew[];
}

export const restoreSizes: Record<ProofSize, RestoreSize> = {
  ci: {
    tasks: 20,
    active: 3,
    lostSeconds: 4,
    skews: [
      { worker: -90, api: 10 },
      { relay: 90, animatic: -90 },
      { worker: -90, isAlone: true },
    ],
  },
  full: {
    tasks: 100,
    active: 4,
    lostSeconds: 60,
    skews: [
      ...(['worker', 'relay', 'api', 'animatic'] as const).flatMap((role) =>
        [-90, -10, 10, 90].map((seconds): Skew => ({ [role]: seconds })),
      ),
      { worker: -90, isAlone: true },
    ],
  },
};
