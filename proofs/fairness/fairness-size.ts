import type { ProofSize } from '../proof.ts';
import type { Planned } from './planned.ts';

export interface FairnessSize {
  jobMilliseconds: number;
  /** How many tasks of a project may be admitted in (a) and (b). Short jobs could end faster than tasks are admitted. */
  cap: number;
  /** (a) More tasks than the starts that count, because positions of a queue's last few tasks are coarse. */
  equal: { projects: number; tasksEach: number };
  /** (b) Tasks of the project of weight 1; the project of weight 3 has three times as many. */
  weightedTasks: number;
  /** (c) In each round the light projects queue a task each, behind this many of the heavy project. */
  order: { projects: number; rounds: number; heavyTasks: number };
  /** (c) */
  light: { projects: number; seconds: number; heavyTasks: number };
  /** (d) Two projects. */
  cappedTasksEach: number;
  /** (e) Two projects. */
  busyTasksEach: number;
  planned: Planned;
}

const promised = { leastJain: 0.99, weightTolerance: 0.05, leastBusy: 0.97, positionTolerance: 0.1 };

export const sizes: Record<ProofSize | 'gate', FairnessSize> = {
  // Order and counts need only short jobs. What is 0 is judged only at night: times, and positions (estimates).
  gate: {
    jobMilliseconds: 120,
    cap: 1_000,
    equal: { projects: 10, tasksEach: 20 },
    weightedTasks: 100,
    order: { projects: 5, rounds: 4, heavyTasks: 40 },
    light: { projects: 0, seconds: 0, heavyTasks: 0 },
    cappedTasksEach: 12,
    busyTasksEach: 0,
    planned: {
      fewestEqualStarts: 150,
      fewestWeightedStarts: 360,
      fewestLightStarts: 20,
      fewestLightTasks: 0,
      fewestCappedStarts: 24,
      fewestBusyStarts: 0,
      fewestPositions: 0,
      ...promised,
    },
  },
  ci: {
    jobMilliseconds: 600,
    cap: 8,
    equal: { projects: 20, tasksEach: 25 },
    weightedTasks: 68,
    order: { projects: 5, rounds: 6, heavyTasks: 40 },
    light: { projects: 49, seconds: 33, heavyTasks: 1_000 },
    cappedTasksEach: 20,
    busyTasksEach: 20,
    planned: {
      fewestEqualStarts: 300,
      fewestWeightedStarts: 240,
      fewestLightStarts: 30,
      fewestLightTasks: 100,
      fewestCappedStarts: 40,
      fewestBusyStarts: 40,
      fewestPositions: 150,
      ...promised,
    },
  },
  full: {
    jobMilliseconds: 600,
    cap: 8,
    equal: { projects: 20, tasksEach: 75 },
    weightedTasks: 204,
    order: { projects: 5, rounds: 20, heavyTasks: 40 },
    light: { projects: 49, seconds: 99, heavyTasks: 1_000 },
    cappedTasksEach: 60,
    busyTasksEach: 60,
    planned: {
      fewestEqualStarts: 900,
      fewestWeightedStarts: 720,
      fewestLightStarts: 100,
      fewestLightTasks: 300,
      fewestCappedStarts: 120,
      fewestBusyStarts: 120,
      fewestPositions: 450,
      ...promised,
    },
  },
};
