/** What a project has in a pool in one mode, as far as the fair order needs it. */
export interface Contender {
  projectId: string;
  livemode: boolean;
  /** Share of the pool relative to others. */
  weight: number;
  /** Queued tasks that were never tried, admitted or not. */
  waiting: number;
  /** Queued tasks that are tried retries: they go before all others. */
  retries: number;
}

interface QueuePlace {
  contender: Contender;
  others: readonly Contender[];
  /** From 1, among the project's own queued tasks of this pool and mode. */
  place: number;
  /** As many of its tasks are in progress as may be: the next one begins when one of them ends, whatever others do. */
  isAtCap: boolean;
}

/**
 * How many tasks of a pool will have begun when this one has, by the fair order: for each task of this project the others
 * begin as many as their weight says, as long as they have some. Tasks that are tried again are shared out alike, first.
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
