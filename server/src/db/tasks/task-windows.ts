import { lowestUuidAt, timeOfUuid } from '../../domain/id.ts';
import { toUuid } from '../connection/ids.ts';
import type { TaskFilter } from './task-filter.ts';

/** From `lowest` to `beyond`, which is not part of it, and above `after` if that is not null. */
export interface IdRange {
  lowest: string;
  beyond: string;
  after: string | null;
}

interface Listed {
  filter: TaskFilter;
  order: 'asc' | 'desc';
  after: string | null;
  now: Date;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** An id is made before the image is fetched, and its row's created_at after that: they are at most this far apart. */
const longestAcceptMilliseconds = 10 * 60 * 1000;
/** The first page nearly always ends within two days. Each step reads from some partitions more. */
const stepsInDays = [2, 12];

/** Returns the ids that a list can have, by the times of its filter and by its cursor. They exclude whole days. */
export function rangeOf({ filter, order, after, now }: Listed): IdRange {
  const { createdAfter, createdBefore } = filter;
  const earliest = createdAfter ? Math.max(0, createdAfter.getTime() - longestAcceptMilliseconds) : 0;
  // No process makes ids that are more than a day ahead of this one's clock.
  const latest = Math.min(createdBefore?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime() + dayMilliseconds);
  const range = { lowest: uuidAt(earliest), beyond: uuidAt(Math.max(latest, 0)), after: null };
  if (after === null) return range;
  const cursor = toUuid('task', after);
  if (order === 'asc') return { ...range, lowest: maximum(range.lowest, cursor), after: cursor };
  return { ...range, beyond: cursor < range.beyond ? cursor : range.beyond };
}

/** Returns the parts of a list's range in the order of the list, beginning with the days that it most likely ends in. */
export function windowsOf(listed: Listed): IdRange[] {
  const { lowest, beyond, after } = rangeOf(listed);
  const isAscending = listed.order === 'asc';
  const start = timeOfUuid(isAscending ? lowest : beyond).getTime();
  // Where the oldest task is, nobody knows.
  const steps = isAscending && start === 0 ? [] : stepsInDays;
  const cuts = steps
    .map((days) => uuidAt(Math.max(0, start + (isAscending ? days : -days) * dayMilliseconds)))
    .filter((cut) => cut > lowest && cut < beyond);
  const edges = [lowest, ...cuts, beyond].sort();
  const windows = edges.slice(1).map((edge, index) => ({ lowest: edges[index] ?? lowest, beyond: edge, after }));
  return isAscending ? windows : windows.toReversed();
}

/** Widens a range to whole days. */
export function wholeDays({ lowest, beyond }: IdRange): IdRange {
  const startOfDay = (uuid: string) => Math.floor(timeOfUuid(uuid).getTime() / dayMilliseconds) * dayMilliseconds;
  return { lowest: uuidAt(startOfDay(lowest)), beyond: uuidAt(startOfDay(beyond) + dayMilliseconds), after: null };
}

function uuidAt(milliseconds: number): string {
  return lowestUuidAt(new Date(milliseconds));
}

function maximum(one: string, other: string): string {
  return one > other ? one : other;
}
