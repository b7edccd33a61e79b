import type { ProofSize } from '../proof.ts';
import type { Planned } from './judge-fairness.ts';

export interface FairnessSize {
  /** (a) More tasks than the starts that count, because positions of a queue's last few tasks are coarse. */
  equal: { projects: number; tasksEach: number };
  /** (b) Tasks of the project of weight 1; the project of weight 3 has three times as many. */
  weightedTasks: number;
  /** (c) */
  light: { projects: number; seconds: number; heavyTasks: number };
  /** (d) Two projects. */
  cappedTasksEach: number;
  /** (e) Two projects. */
  busyTasksEach: number;
  planned: Planned;
}

const promised = { leastJain: 0.99, weightTolerance: 0.05, leastBusy: 0.97, positionTolerance: 0.1 };

export const sizes: Record<ProofSize, FairnessSize> = {
  // With so few starts, one start exceeds the promised tolerance: smoke size only shows that everything runs.
  smoke: {
    equal: { projects: 5, tasksEach: 6 },
    weightedTasks: 8,
    light: { projects: 5, seconds: 4, heavyTasks: 20 },
    cappedTasksEach: 4,
    busyTasksEach: 4,
    planned: {
      fewestEqualStarts: 16,
      fewestWeightedStarts: 16,
      fewestLightTasks: 5,
      fewestCappedStarts: 8,
      fewestBusyStarts: 8,
      fewestPositions: 10,
      leastJain: 0.9,
      weightTolerance: 0.6,
      leastBusy: 0.8,
      positionTolerance: 0.5,
    },
  },
  ci: {
    equal: { projects: 20, tasksEach: 25 },
    weightedTasks: 68,
    light: { projects: 49, seconds: 33, heavyTasks: 1_000 },
    cappedTasksEach: 20,
    busyTasksEach: 20,
    planned: {
      fewestEqualStarts: 300,
      fewestWeightedStarts: 240,
      fewestLightTasks: 100,
      fewestCappedStarts: 40,
      fewestBusyStarts: 40,
      fewestPositions: 150,
      ...promised,
    },
  },
  full: {
    equal: { projects: 20, tasksEach: 75 },
    weightedTasks: 204,
    light: { projects: 49, seconds: 99, heavyTasks: 1_000 },
    cappedTasksEach: 60,
    busyTasksEach: 60,
    planned: {
      fewestEqualStarts: 900,
      fewestWeightedStarts: 720,
      fewestLightTasks: 300,
      fewestCappedStarts: 120,
      fewestBusyStarts: 120,
      fewestPositions: 450,
      ...promised,
    },
  },
};
