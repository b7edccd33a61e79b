import type { Task } from '@kinora/sdk';
import type { Notification } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { progressReporter } from './progress-reporter.ts';

const base = { status: 'queued', stage: 'waiting', progress: 0, queue_position: 2, attempt: 1 };
const taskLike = (changed: Partial<Task>) => ({ ...base, ...changed }) as Task; // only these fields are read

const life = [
  taskLike({}),
  taskLike({ queue_position: 1 }),
  taskLike({ queue_position: 1 }),
  taskLike({ status: 'in_progress', stage: 'rendering', progress: 40, queue_position: null }),
  taskLike({ status: 'in_progress', stage: 'finishing', progress: 40, queue_position: null }),
  taskLike({ queue_position: null, attempt: 2 }),
  taskLike({ status: 'in_progress', stage: 'rendering', progress: 20, queue_position: null, attempt: 2 }),
  taskLike({ status: 'completed', stage: 'finishing', progress: 100, queue_position: null, attempt: 2 }),
];

function reportsOf(token: string | undefined): Notification[] {
  const sent: Notification[] = [];
  const report = progressReporter(token, async (notification) => void sent.push(notification));
  for (const task of life) report(task);
  return sent;
}

test('every change is reported once, and progress always increases, as the protocol demands', () => {
  const reports = reportsOf('p1').map(({ params }) => params ?? {});
  expect(reports.map(({ message }) => message)).toEqual([
    'queued, position 2',
    'queued, position 1',
    'rendering, 40 %',
    'finishing, 40 %',
    'queued, attempt 2',
    'rendering, 20 %, attempt 2',
    'completed, attempt 2',
  ]);
  const values = reports.map(({ progress }) => Number(progress));
  for (const [index, value] of values.entries()) expect(value).toBeGreaterThan(values[index - 1] ?? -1);
  expect(reports.at(-1)).toMatchObject({ progress: 100, total: 100, progressToken: 'p1' });
});

test('a host without a progress token gets no reports', () => {
  expect(reportsOf(undefined)).toEqual([]);
});
