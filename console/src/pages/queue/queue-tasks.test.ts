import type { Task } from '@kinora/sdk';
import { describe, expect, test } from 'vitest';
import { groupsOf, mostEnded, nothingKnown, type StatusPage, withChanges, withPage } from './queue-tasks.ts';

function task(number: number, status: Task['status'], fields: Partial<Task> = {}): Task {
  const id = `task_${String(number).padStart(4, '0')}`;
  const isFinal = status !== 'queued' && status !== 'in_progress';
  const about = { id, status, is_final: isFinal, attempt: 1, progress: 0, completed_at: isFinal ? number : null };
  return { ...about, ...fields } as Task; // the queue reads no other field
}

function page(tasks: readonly Task[], fields: Partial<StatusPage> = {}): StatusPage {
  return { status: 'queued', after: null, tasks, hasMore: false, requestedAt: 1_000, ...fields };
}

const numbersOf = (tasks: readonly Task[]): number[] => tasks.map(({ id }) => Number(id.slice(5)));
const waiting = [1, 2, 3, 4].map((number) => task(number, 'queued'));

describe('the queue', () => {
  test('lists waiting tasks in the order of the queue, whatever the order of arrival', () => {
    const first = withPage(nothingKnown, page(waiting.slice(0, 2), { hasMore: true }));
    const both = withPage(first, page(waiting.slice(2), { after: 'task_0002' }));
    expect(numbersOf(groupsOf(first).waiting)).toEqual([1, 2]);
    expect(first.loadedTo).toBe('task_0002');
    expect(numbersOf(groupsOf(both).waiting)).toEqual([1, 2, 3, 4]);
    expect(both.loadedTo).toBeNull();
  });

  test('moves a task from waiting to running to ended', () => {
    let queue = withPage(nothingKnown, page(waiting));
    queue = withChanges(queue, [task(1, 'in_progress')], 2_000);
    expect(numbersOf(groupsOf(queue).running)).toEqual([1]);
    queue = withChanges(queue, [task(1, 'completed')], 3_000);
    expect(groupsOf(queue).running).toEqual([]);
    expect(numbersOf(groupsOf(queue).ended)).toEqual([1]);
    expect(numbersOf(groupsOf(queue).waiting)).toEqual([2, 3, 4]);
  });

  test('forgets a task that its page no longer lists', () => {
    const queue = withPage(nothingKnown, page(waiting));
    const later = withPage(queue, page([waiting[0], waiting[3]] as Task[], { requestedAt: 2_000 }));
    expect(numbersOf(groupsOf(later).waiting)).toEqual([1, 4]);
  });

  test('keeps what lies beyond a page', () => {
    const queue = withPage(nothingKnown, page(waiting));
    const later = withPage(queue, page(waiting.slice(1, 2), { hasMore: true, requestedAt: 2_000 }));
    expect(numbersOf(groupsOf(later).waiting)).toEqual([2, 3, 4]);
  });

  test('does not let a slow page undo a newer event', () => {
    let queue = withPage(nothingKnown, page(waiting));
    queue = withChanges(queue, [task(1, 'in_progress', { progress: 5 }), task(2, 'cancelled')], 2_000);
    queue = withPage(queue, page(waiting, { requestedAt: 1_500 }));
    queue = withPage(queue, page([], { status: 'in_progress', requestedAt: 1_500 }));
    expect(numbersOf(groupsOf(queue).running)).toEqual([1]);
    expect(numbersOf(groupsOf(queue).waiting)).toEqual([3, 4]);
    expect(numbersOf(groupsOf(queue).ended)).toEqual([2]);
  });

  test('lets a task wait again for its next attempt', () => {
    const queue = withChanges(nothingKnown, [task(1, 'in_progress', { progress: 60 })], 1_000);
    const later = withChanges({ ...queue, loadedTo: null }, [task(1, 'queued', { attempt: 2 })], 2_000);
    expect(numbersOf(groupsOf(later).waiting)).toEqual([1]);
  });

  test('leaves waiting tasks beyond what is loaded to their page', () => {
    const queue = withPage(nothingKnown, page(waiting, { hasMore: true }));
    const later = withChanges(queue, [task(9, 'queued')], 2_000);
    expect(numbersOf(groupsOf(later).waiting)).toEqual([1, 2, 3, 4]);
  });

  test('stays bounded however many tasks end', () => {
    let queue = nothingKnown;
    for (let first = 0; first < 500; first += 50) {
      const ended = Array.from({ length: 50 }, (_, index) => task(first + index, 'completed'));
      queue = withChanges(queue, ended, first);
    }
    expect(queue.known.size).toBe(mostEnded);
    expect(numbersOf(groupsOf(queue).ended)[0]).toBe(499);
  });
});
