import { stripVTControlCharacters } from 'node:util';
import type { Task } from '@kinora/sdk';
import { describe, expect, test } from 'vitest';
import { createPaint } from './paint.ts';
import { plainLine, plainLineKey, progressLine, startingLine, timeLeft } from './progress-line.ts';
import { widthOf } from './text-width.ts';

/** Returns a task with the fields that a line shows. */
function taskWith(fields: Partial<Task>): Task {
  const usual = {
    id: 'task_1',
    status: 'in_progress',
    stage: 'rendering',
    is_final: false,
    progress: 42,
    queue_position: null,
    estimated_completion_at: null,
    attempt: 1,
  };
  return { ...usual, ...fields } as Task; // the other fields are not read
}

describe('a progress line', () => {
  test('shows the stage, the progress, the position, the time left and the attempt', () => {
    const task = taskWith({ estimated_completion_at: 112, attempt: 2 });
    expect(progressLine(task, { now: 100_000 })).toBe(
      'rendering   ██████████░░░░░░░░░░░░░░   42 %  about 12 s  attempt 2',
    );
    const waiting = taskWith({ status: 'queued', stage: 'waiting', progress: 0, queue_position: 3 });
    expect(progressLine(waiting)).toBe('waiting     ░░░░░░░░░░░░░░░░░░░░░░░░    0 %  position 3');
    const ended = taskWith({ status: 'completed', stage: 'finishing', is_final: true, progress: 100, attempt: 2 });
    expect(progressLine(ended)).toBe('completed   ████████████████████████  100 %');
  });

  test('changes at every percent', () => {
    const lines = Array.from({ length: 101 }, (_, progress) =>
      progressLine(taskWith({ progress })).replace(/\d+ %/, ''),
    );
    expect(new Set(lines).size).toBe(101);
  });

  test('never reaches the edge of the terminal, whatever its width and its label', () => {
    const task = taskWith({ queue_position: 12, estimated_completion_at: 112, attempt: 2 });
    for (let columns = 2; columns <= 200; columns++) {
      for (const label of [undefined, 'boat.mp4', '海を渡る船と夕暮れの空に浮かぶ雲.mp4']) {
        expect(widthOf(progressLine(task, { columns, now: 100_000, ...(label && { label }) }))).toBeLessThan(columns);
      }
      expect(widthOf(startingLine('海を渡る船', columns))).toBeLessThan(columns);
    }
  });

  test('has room for a bar beside its label on 60 columns', () => {
    const task = taskWith({ estimated_completion_at: 112 });
    expect(progressLine(task, { columns: 60, label: 'boats/boat-at-dusk.mp4', now: 100_000 })).toBe(
      'boats/boat-at-… rendering   █████░░░░░░░   42 %  about 12 s',
    );
  });

  test('is coloured only if colours are on, and has the same text without them', () => {
    const task = taskWith({});
    const coloured = progressLine(task, { paint: createPaint({ TERM: 'xterm' }) });
    expect(coloured).toContain('\x1b[36m');
    expect(stripVTControlCharacters(coloured)).toBe(progressLine(task));
    for (const environment of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect(progressLine(task, { paint: createPaint(environment) })).toBe(progressLine(task));
    }
  });
});

test('a log gets a line per stage, attempt and 10 % of progress, not per percent', () => {
  expect(plainLine(taskWith({ queue_position: 2 }))).toBe('task_1: rendering, 42 %, position 2');
  expect(plainLineKey(taskWith({ progress: 42 }))).toBe(plainLineKey(taskWith({ progress: 49 })));
  for (const change of [{ progress: 50 }, { attempt: 2 }, { stage: 'finishing' }, { status: 'completed' }] as const) {
    expect(plainLineKey(taskWith(change))).not.toBe(plainLineKey(taskWith({})));
  }
});

test('the time left is rounded', () => {
  expect([-5, 0.2, 1, 89.5, 91, 3600].map(timeLeft)).toEqual([
    'any moment',
    'any moment',
    'about 1 s',
    'about 90 s',
    'about 2 min',
    'about 60 min',
  ]);
});
