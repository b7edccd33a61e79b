import type { ProofSize } from '../proof.ts';
import type { Planned } from './judge-outages.ts';

export interface OutagesSize {
  planned: Planned;
  /** This and the following times are in seconds after the first task was created. */
  faultsAt: number;
  killedUntil: number;
  stalledAndOutOfMemoryUntil: number;
  restartsAt: number[];
}

export const sizes: Record<ProofSize, OutagesSize> = {
  ci: {
    // On two busy cores there is a gap of 0.1 s between two jobs of 2 s; outages of other endpoints must not add to it.
    planned: { tasks: 300, videos: 30, leastBusyShare: 0.85 },
    faultsAt: 3,
    // Longer than the minute for which an engine may be silent, so its jobs are lost before it is back.
    killedUntil: 68,
    stalledAndOutOfMemoryUntil: 23,
    restartsAt: [15, 35],
  },
  full: {
    planned: { tasks: 1_000, videos: 100, leastBusyShare: 0.85 },
    faultsAt: 5,
    killedUntil: 95,
    stalledAndOutOfMemoryUntil: 60,
    restartsAt: [20, 50, 80, 110],
  },
};
