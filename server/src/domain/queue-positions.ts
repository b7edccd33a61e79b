/** A project's queued tasks in a pool, in one mode, as far as the fair order needs them. */
interface Contender {
  /** Share of the pool relative to others. */
  weight: number;
  /** Queued tasks that were never tried, admitted or not. */
  waiting: number;
  /** Queued tasks that are retries: they go before all others. */
  retries: number;
}

/** Projects with the same weight and as many queued tasks. */
export interface Contenders extends Contender {
  projects: number;
}

interface QueuePlace {
  /** The task's own project, which is also one of the contenders of the pool. */
  contender: Contender;
  /** The place among the project's own queued tasks of this pool and mode, from 1. */
  place: number;
  /** Whether the project runs as many tasks as it may: its next begins only when one of its own ends. */
  isAtCap: boolean;
}

/**
 * Returns a function for positions in the queue of a pool. A position is the number of tasks of the pool that will have
 * begun once this one has, in the fair order: for each task of its project, every other project begins as many as its
 * relative weight says, as long as it has some. Retries come first, and are shared out in the same way. Contenders are
 * sorted once, so a position costs a binary search, however many projects wait. They may be some seconds older than the
 * place; the position is never below the place.
 */
export function createQueuePositions(contenders: readonly Contenders[]): (place: QueuePlace) => number {
  const allRetries = contenders.reduce((sum, { retries, projects }) => sum + retries * projects, 0);
  const retriesOfOthers = createTurns(contenders, 'retries');
  const waitingOfOthers = createTurns(contenders, 'waiting');
  return ({ contender, place, isAtCap }) => {
    if (isAtCap) return place;
    if (place <= contender.retries) return place + retriesOfOthers(contender, place);
    const retries = Math.max(0, allRetries - contender.retries);
    return place + retries + waitingOfOthers(contender, place - contender.retries);
  };
}

/**
 * How many tasks of one kind the others begin before a place: the sum of `min(tasks, weight * rounds)`, which two
 * running totals in the order of `tasks / weight` give.
 */
function createTurns(contenders: readonly Contenders[], kind: 'waiting' | 'retries') {
  const roundsUntilEmpty = (contender: Contender): number => contender[kind] / contender.weight;
  const sorted = contenders.filter((contender) => contender[kind] > 0);
  sorted.sort((one, other) => roundsUntilEmpty(one) - roundsUntilEmpty(other));
  const rounds = sorted.map(roundsUntilEmpty);
  const tasksBefore = runningTotals(sorted.map((contender) => contender[kind] * contender.projects));
  const weightBefore = runningTotals(sorted.map(({ weight, projects }) => weight * projects));
  const totalWeight = weightBefore.at(-1) ?? 0;

  return (own: Contender, place: number): number => {
    const roundsNow = place / own.weight;
    const emptied = countUpTo(rounds, roundsNow);
    const isOwnEmptied = roundsUntilEmpty(own) <= roundsNow;
    const tasksOfEmptied = (tasksBefore[emptied] ?? 0) - (isOwnEmptied ? own[kind] : 0);
    const weightOfRest = totalWeight - (weightBefore[emptied] ?? 0) - (isOwnEmptied ? 0 : own.weight);
    return Math.max(0, Math.round(tasksOfEmptied + weightOfRest * roundsNow));
  };
}

/** Returns the sums of the first 0, 1, 2 … values. */
function runningTotals(values: readonly number[]): number[] {
  const totals = [0];
  for (const value of values) totals.push((totals.at(-1) ?? 0) + value);
  return totals;
}

/** Returns how many of the values, which ascend, are at most `limit`. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
