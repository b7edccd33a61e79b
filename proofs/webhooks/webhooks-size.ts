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
  /** Leaves two cores mostly idle, because the proof measures waiting: at ten per second a slow machine fell behind. */
  timedPerSecond: number;
  /** The schedule of tries, shorter than in production. */
  scheduleSeconds: number[];
  /** Fewer than there are tries, so that a receiver that mostly works gets every webhook. */
  mostFailures: number;
  /** Long compared with the schedule, so that requests to a dead endpoint hang most of the time, as in production. */
  trySeconds: number;
  thresholds: Thresholds;
}

const tenTries = [0, 1, 1, 1, 1, 1, 1, 1, 1, 1];

export const webhooksSizes: Record<ProofSize | 'gate', WebhooksSize> = {
  gate: {
    tasks: 400,
    redeliveries: 10,
    dead: 30,
    // Times are judged at night only.
    timed: 0,
    timedPerSecond: 0,
    scheduleSeconds: [0, 1, 1, 1, 1, 1],
    mostFailures: 5,
    // The longest that is allowed: the more seldom a try at the dead endpoint ends, the more events prove something.
    trySeconds: 20,
    thresholds: {
      events: 400,
      deadDeliveries: 30,
      besideDead: 20,
      latencies: 0,
      longestSeconds: 0,
      failureModes: 10,
      failedShare: [0.25, 0.35],
      // If each was sent twice, the share would be some 0.4.
      mostSentTwiceShare: 0.25,
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
    thresholds: {
      events: 2_000,
      deadDeliveries: 120,
      besideDead: 30,
      latencies: 100,
      longestSeconds: 5,
      failureModes: 10,
      failedShare: [0.25, 0.35],
      mostSentTwiceShare: 0.01,
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
    thresholds: {
      events: 10_000,
      deadDeliveries: 800,
      besideDead: 100,
      latencies: 1_000,
      longestSeconds: 5,
      failureModes: 10,
      failedShare: [0.25, 0.35],
      mostSentTwiceShare: 0.01,
    },
  },
};
