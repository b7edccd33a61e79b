import type { ProofSize } from '../proof.ts';
import type { Thresholds } from './observations.ts';

export interface WebhooksSize {
  /** Tasks that are cancelled at once, spread over several endpoints; every fourth one has a callback. */
  tasks: number;
  redeliveries: number;
  /** Events to the dead endpoint, per round. */
  dead: number;
  /** Timed events per round while the dead endpoint exists, and as many without it. */
  timed: number;
  /**
   * Low enough that two cores are mostly idle, because the proof measures waiting, not the speed of the machine: an event
   * with its task costs about a tenth of a second of CPU time, and at ten per second a slow machine fell behind.
   */
  timedPerSecond: number;
  /** The schedule of tries, shorter than in production. */
  scheduleSeconds: number[];
  /** Fewer than there are tries, so that a receiver that mostly works gets every webhook. */
  mostFailures: number;
  /** Long compared with the schedule, so that requests to a dead endpoint hang most of the time, as in production. */
  trySeconds: number;
  patienceSeconds: number;
  thresholds: Thresholds;
}

const tenTries = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1];

export const webhooksSizes: Record<ProofSize, WebhooksSize> = {
  smoke: {
    tasks: 60,
    redeliveries: 3,
    dead: 3,
    timed: 10,
    timedPerSecond: 10,
    scheduleSeconds: [0, 0, 0, 0],
    mostFailures: 2,
    trySeconds: 1,
    patienceSeconds: 60,
    thresholds: {
      events: 60,
      deadDeliveries: 9,
      latencies: 30,
      longestSeconds: 5,
      failureModes: 5,
      failedShare: [0.1, 0.5],
    },
  },
  ci: {
    tasks: 2_000,
    redeliveries: 30,
    dead: 30,
    timed: 34,
    timedPerSecond: 4,
    scheduleSeconds: tenTries,
    mostFailures: 9,
    trySeconds: 5,
    patienceSeconds: 600,
    thresholds: {
      events: 2_000,
      deadDeliveries: 90,
      latencies: 100,
      longestSeconds: 5,
      failureModes: 10,
      failedShare: [0.25, 0.35],
    },
  },
  full: {
    tasks: 10_000,
    redeliveries: 200,
    dead: 200,
    timed: 334,
    timedPerSecond: 4,
    scheduleSeconds: tenTries,
    mostFailures: 9,
    trySeconds: 5,
    patienceSeconds: 1_800,
    thresholds: {
      events: 10_000,
      deadDeliveries: 600,
      latencies: 1_000,
      longestSeconds: 5,
      failureModes: 10,
      failedShare: [0.25, 0.35],
    },
  },
};
