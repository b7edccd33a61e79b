import type { ProofSize } from '../proof.ts';
import type { Target, Thresholds } from './history.ts';

/** How much one run does, and the least that the checker accepts. */
export interface CrashSize {
  /** The time over which kills and arrivals of tasks are spread. */
  seconds: number;
  tasks: number;
  /** Every so many tasks, one renders long enough to be killed in the middle. */
  longEvery: number;
  randomKillsOf: Record<Target, number>;
  drains: number;
  /** How long the installation may take to finish all work after the last kill. */
  restSeconds: number;
  /** What one run must have done; of a size that goes on, all its runs together. */
  thresholds: Thresholds;
  /** Whether the size is cut into runs whose histories are judged together. */
  goesOn: boolean;
}

/** The share of tasks that clients cancel; some end before the cancel comes. */
export const cancelledShare = 0.14;
export const hitsOfEachFailpoint = 3;
export const terminationsOfEachStage = 4;
/** At most two of a hundred tasks may fail. */
const failedShare = 0.02;

export const crashSizes: Record<ProofSize, CrashSize> = {
  ci: {
    seconds: 480,
    tasks: 300,
    longEvery: 6,
    randomKillsOf: { api: 4, relay: 5, worker: 5, animatic: 5, temporal: 5, postgres: 5, s3: 5 },
    drains: 3,
    restSeconds: 240,
    thresholds: {
      tasks: 300,
      kills: 60,
      hitsOfEachFailpoint: 3,
      followedTakeovers: 30,
      terminationsOfEachStage: 3,
      drains: 3,
      failedShare,
    },
    goesOn: false,
  },
  full: {
    // One of three runs of half an hour.
    seconds: 1_500,
    tasks: 1_700,
    longEvery: 12,
    randomKillsOf: { api: 7, relay: 7, worker: 8, animatic: 7, temporal: 7, postgres: 7, s3: 7 },
    drains: 2,
    restSeconds: 600,
    thresholds: {
      tasks: 5_000,
      kills: 200,
      hitsOfEachFailpoint: 3,
      followedTakeovers: 30,
      terminationsOfEachStage: 10,
      drains: 5,
      failedShare,
    },
    goesOn: true,
  },
};
