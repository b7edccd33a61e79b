import type { Task } from '@kinora/sdk';
import { keepKnown } from '../../api/keep-known.ts';
import { newerOf } from '../../api/task-order.ts';

/** One loaded page of the gallery, newest first. */
export interface GalleryPageOfTasks {
  data: Task[];
  hasMore: boolean;
  nextPage: () => Promise<GalleryPageOfTasks>;
}

type Pages = readonly GalleryPageOfTasks[];

/** Replaces tasks that changed. Pages without a change stay the same objects, and so do all of them if none has one. */
export function withChanged(pages: Pages, changed: ReadonlyMap<string, Task>): Pages {
  let isChanged = false;
  const next = pages.map((page) => {
    if (!page.data.some(({ id }) => changed.has(id))) return page;
    isChanged = true;
    const data = page.data.map((task) => {
      const other = changed.get(task.id);
      return other ? newerOf(task, other) : task;
    });
    return { ...page, data };
  });
  return isChanged ? next : pages;
}

/** Adds tasks in front of the first page; those that are there already are not added again. */
export function withNewest(pages: Pages, tasks: readonly Task[]): Pages {
  const [first, ...others] = pages;
  if (!first) return pages;
  const known = new Set(first.data.map(({ id }) => id));
  const added = tasks.filter(({ id }) => !known.has(id)).sort((one, other) => (one.id < other.id ? 1 : -1));
  return added.length === 0 ? pages : [{ ...first, data: [...added, ...first.data] }, ...others];
}

/** Replaces a page that was fetched again, and keeps links that work and the old tasks that new ones pushed off. */
export function withFetched(pages: Pages, index: number, fetched: GalleryPageOfTasks, now: number): Pages {
  return pages.map((page, at) => {
    if (at !== index) return page;
    const known = new Map(page.data.map((task) => [task.id, task]));
    const last = fetched.hasMore ? fetched.data.at(-1)?.id : undefined;
    const rest = last === undefined ? [] : page.data.filter(({ id }) => id < last);
    const data = fetched.data.map((task) => keepKnown(known.get(task.id) ?? task, task, now));
    return { ...page, data: [...data, ...rest] };
  });
}

/** Returns the id of the newest task; an empty text if there is none. */
export function newestOf(pages: Pages): string {
  return pages[0]?.data[0]?.id ?? '';
}

/** New tasks that wait to be shown. If there are too many to keep, only `isAll` says that there are more. */
export interface Arrivals {
  tasks: ReadonlyMap<string, Task>;
  isAll: boolean;
}

const mostArrivals = 99;
export const noArrivals: Arrivals = { tasks: new Map(), isAll: true };

export function withArrivals({ tasks, isAll }: Arrivals, added: readonly Task[], areAll: boolean): Arrivals {
  const next = new Map([...tasks, ...added.map((task) => [task.id, task] as const)]);
  const isBounded = next.size <= mostArrivals;
  return isBounded
    ? { tasks: next, isAll: isAll && areAll }
    : { tasks: new Map([...next].slice(0, mostArrivals)), isAll: false };
}
