import type { ProofSize } from '../proof.ts';

export interface IdempotencySize {
  keys: number;
  /** Kills of API processes that fetch images; another process takes their keys over a minute later. */
  imageKills: number;
  thresholds: Thresholds;
}

/** The least that a run must have done for its result to count. */
export interface Thresholds {
  kills: number;
  /** Kills in the most telling place: the task is committed, but no response has been sent. */
  killsBeforeResponse: number;
  /** Requests that ended without a response. */
  brokenRequests: number;
  /** Keys whose first process died while it held the reservation. */
  takeovers: number;
}

export const requestsPerKey = 100;

export const idempotencySizes: Record<ProofSize, IdempotencySize> = {
  ci: {
    keys: 100,
    imageKills: 5,
    thresholds: { kills: 6, killsBeforeResponse: 1, brokenRequests: 50, takeovers: 1 },
  },
  full: {
    keys: 1000,
    imageKills: 60,
    thresholds: { kills: 80, killsBeforeResponse: 15, brokenRequests: 1_000, takeovers: 10 },
  },
};
