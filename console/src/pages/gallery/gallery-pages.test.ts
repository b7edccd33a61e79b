import type { Task } from '@kinora/sdk';
import { expect, test } from 'vitest';
import {
  type GalleryPageOfTasks,
  newestOf,
  noArrivals,
  withArrivals,
  withChanged,
  withFetched,
  withNewest,
} from './gallery-pages.ts';

const task = (number: number, fields: Partial<Task> = {}): Task =>
  ({ id: `task_${number}`, is_final: false, attempt: 1, progress: 0, ...fields }) as Task; // no other field is read
const page = (...numbers: number[]): GalleryPageOfTasks => ({
  data: numbers.map((number) => task(number)),
  hasMore: true,
  nextPage: () => Promise.reject(new Error('not asked for')),
});
const idsOf = (pages: readonly GalleryPageOfTasks[]) => pages.map(({ data }) => data.map(({ id }) => id.slice(5)));

test('a change touches only its own page', () => {
  const pages = [page(9, 8), page(7, 6)];
  const next = withChanged(pages, new Map([['task_7', task(7, { progress: 50 })]]));
  expect(next[0]).toBe(pages[0]);
  expect(next[1]?.data[0]?.progress).toBe(50);
  expect(withChanged(pages, new Map([['task_1', task(1)]]))).toBe(pages);
});

test('new tasks come first, once', () => {
  const pages = withNewest([page(7, 6), page(5)], [task(8), task(9), task(7)]);
  expect(idsOf(pages)).toEqual([['9', '8', '7', '6'], ['5']]);
  expect(newestOf(pages)).toBe('task_9');
});

test('a first page that was fetched again loses nothing to those that are new', () => {
  const pages = withFetched([page(7, 6, 5), page(4, 3)], 0, page(9, 8, 7), 0);
  expect(idsOf(pages)).toEqual([
    ['9', '8', '7', '6', '5'],
    ['4', '3'],
  ]);
});

test('a page that was fetched again no longer has what was deleted', () => {
  expect(idsOf(withFetched([page(7, 6, 5)], 0, page(7, 5), 0))).toEqual([['7', '5']]);
});

test('new tasks that wait to be shown are counted once, and only so many are kept', () => {
  const few = withArrivals(withArrivals(noArrivals, [task(1), task(2)], true), [task(2), task(3)], true);
  expect(few).toMatchObject({ isAll: true, tasks: { size: 3 } });
  const many = withArrivals(
    few,
    Array.from({ length: 500 }, (_, index) => task(index)),
    true,
  );
  expect(many).toMatchObject({ isAll: false, tasks: { size: 99 } });
});
