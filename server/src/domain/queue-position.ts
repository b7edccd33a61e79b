/** A project's queued tasks in a pool, in one mode, as far as the fair order needs them. */
export interface Contender {
  projectId: string;
  livemode: boolean;
  /** Share of the pool relative to others. */
  weight: number;
  /** Queued tasks that were never tried, admitted or not. */
  waiting: number;
  /** Queued tasks that are retries: they go before all others. */
  retries: number;
}

interface QueuePlace {
  contender: Contender;
  others: readonly Contender[];
  /** The place among the project's own queued tasks of this pool and mode, from 1. */
  place: number;
  /**
   * Whether the project runs as many tasks as it may: its next task begins when one of its own ends, whatever others
   * do.
   */
  isAtCap: boolean;
}

/**
 * Returns how many tasks of the pool will have begun once this one has, in the fair order: for each task of this
 * project, every other project begins as many as its relative weight says, as long as it has some. Retries come first,
 * and are shared out in the same way.
 */
export function queuePosition({ contender, others, place, isAtCap }: QueuePlace): number {
  if (isAtCap) return place;
  if (place <= contender.retries) return place + turnsOf(others, 'retries', place, contender.weight);
  const retriesOfOthers = others.reduce((sum, other) => sum + other.retries, 0);
  const placeAfterRetries = place - contender.retries;
  return place + retriesOfOthers + turnsOf(others, 'waiting', placeAfterRetries, contender.weight);
}

function turnsOf(others: readonly Contender[], kind: 'waiting' | 'retries', place: number, weight: number): number {
  const turns = others.reduce((sum, other) => sum + Math.min(other[kind], (place * other.weight) / weight), 0);
  return Math.round(turns);
}
