import { expect, test } from 'vitest';
import { howCancelWent, whatCancelDoes } from './cancel-words.ts';

test('the question says what happens to running and to waiting tasks', () => {
  expect(whatCancelDoes({ running: 1, waiting: 0 })).toBe(
    'It is running: its engine stops, and what it has rendered is lost. This cannot be undone.',
  );
  expect(whatCancelDoes({ running: 0, waiting: 1 })).toBe('It is waiting and leaves the queue. This cannot be undone.');
  expect(whatCancelDoes({ running: 2, waiting: 1200 })).toBe(
    '2 are running: their engines stop, and what they have rendered is lost. 1,200 are waiting and leave the queue. This cannot be undone.',
  );
});

test('the result tells tasks that ended before from those that could not be cancelled', () => {
  expect(howCancelWent({ cancelled: 12, alreadyEnded: 0, failed: 0 })).toBe('12 tasks cancelled.');
  expect(howCancelWent({ cancelled: 1, alreadyEnded: 2, failed: 3 })).toBe(
    '1 task cancelled, 2 had already ended, 3 could not be cancelled.',
  );
});
