import { expect, test } from 'vitest';
import type { Attempt } from '../db/attempts/attempt-table.ts';
import type { CountedTask } from '../db/tasks/task-row.ts';
import type { Engine } from '../engines/engine.ts';
import { type Known, type Move, nextMove } from './next-move.ts';
import type { Prepared } from './prepare-render.ts';

// Only these fields decide.
const queued = { status: 'queued', attempt: 1, model: 'wan', counters: { isAdmitted: true } } as CountedTask;
const retried = { ...queued, attempt: 2 };
const former = { attempt: 1, endpointId: 'one' } as Attempt;
const attempt = { attempt: 1, endpointId: 'two' } as Attempt;
const request = { prompt: 'a lighthouse' } as Extract<Prepared, object>;
const slot = { endpointId: 'two', slot: 0 };
const engine = {} as Engine;

const fresh: Known = { unadmittedLooks: 0, unfitTries: 0 };
const looked = { ...fresh, task: queued };
const unadmitted = { ...fresh, task: { ...queued, counters: { isAdmitted: false } } as CountedTask };
const prepared = { ...looked, prepared: request };
const preparedRetry = { ...fresh, task: retried, prepared: request };
const taken = { ...prepared, slot };
const ready = { ...taken, isSlotReady: true };

const end = (step: 'ended' | 'follow' | 'generate', milliseconds = 0): Move => ({
  kind: 'end',
  step,
  pause: { milliseconds, keepsClaim: false },
});
const again = (counts: Partial<Known>, milliseconds: number, keepsClaim: boolean): Move => ({
  kind: 'again',
  pause: { milliseconds, keepsClaim },
  known: { ...fresh, ...counts },
});

test.each<[string, Known, Move]>([
  ['looks at the task first', fresh, { kind: 'find-task' }],
  ['ends with a task that was deleted', { ...fresh, task: null }, end('ended')],
  ['ends with a task that has ended', { ...fresh, task: { ...queued, status: 'failed' } as CountedTask }, end('ended')],
  [
    'follows a task that another worker has begun',
    { ...fresh, task: { ...queued, status: 'in_progress' } as CountedTask },
    end('follow'),
  ],
  [
    'gives a task that is not admitted time, and its slot to others',
    unadmitted,
    again({ unadmittedLooks: 1 }, 2_000, false),
  ],
  [
    'ends after three looks at a task that was given back: its next admission starts a workflow again',
    { ...unadmitted, unadmittedLooks: 3, mayEnd: true },
    end('ended'),
  ],
  [
    'asks before it ends, because the task may be admitted meanwhile',
    { ...unadmitted, unadmittedLooks: 3 },
    { kind: 'ask-to-end' },
  ],
  [
    'looks again at a task that was admitted before the end',
    { ...unadmitted, unadmittedLooks: 3, mayEnd: false },
    again({}, 0, false),
  ],
  ['prepares the request before an attempt begins', looked, { kind: 'prepare', task: queued }],
  [
    'fails a task whose image is gone',
    { ...looked, prepared: 'gone' },
    { kind: 'fail', code: 'storage_failed', attempt: 1 },
  ],
  [
    'asks whether another process has a model that is missing here',
    { ...looked, prepared: 'no-model' },
    { kind: 'ask-for-model', model: 'wan' },
  ],
  [
    'leaves a task of a model that another process has to it',
    { ...looked, prepared: 'no-model', isModelElsewhere: true },
    end('generate', 5_000),
  ],
  [
    'fails a task of a model that no process has',
    { ...looked, prepared: 'no-model', isModelElsewhere: false },
    { kind: 'fail', code: 'engine_unavailable', attempt: 1 },
  ],
  [
    'tries an image that could not be fitted again, and keeps its slot, so that not all tasks with an image wait here',
    { ...looked, prepared: 'unfit' },
    again({ unfitTries: 1 }, 2_000, true),
  ],
  [
    'fails a task whose image could not be fitted five times',
    { ...looked, unfitTries: 4, prepared: 'unfit' },
    { kind: 'fail', code: 'internal_error', attempt: 1 },
  ],
  ['waits for the store, and keeps its slot', { ...looked, prepared: 'store-away' }, again({}, 2_000, true)],
  [
    'goes back into the queue after it has waited for the store: the next task may need no image',
    { ...looked, prepared: 'store-away', hasWaitedForStore: true },
    end('generate'),
  ],
  ['looks for the attempt before a retry', preparedRetry, { kind: 'find-former', attempt: 1 }],
  ['compares where a retry could run', { ...preparedRetry, former }, { kind: 'compare', former }],
  [
    'goes back into the queue if another worker has a better endpoint',
    { ...preparedRetry, former, shouldRequeue: true },
    end('generate', 2_000),
  ],
  [
    'takes a slot elsewhere for a retry',
    { ...preparedRetry, former, shouldRequeue: false },
    { kind: 'take-slot', former },
  ],
  [
    'takes any slot if the attempt before is unknown',
    { ...preparedRetry, former: null },
    { kind: 'take-slot', former: null },
  ],
  ['takes any slot for a first attempt', prepared, { kind: 'take-slot', former: null }],
  ['goes back into the queue if its slot is no longer offered', { ...prepared, slot: null }, end('generate')],
  ['waits until the last lease of its slot is free', taken, { kind: 'check-slot', slot }],
  ['goes back into the queue if the slot stays leased', { ...taken, isSlotReady: false }, end('generate')],
  ['begins', ready, { kind: 'begin', task: queued, slot }],
  [
    'goes back into the queue if another process has leased the slot',
    { ...ready, begun: { kind: 'slot-taken', engine } },
    end('generate'),
  ],
  [
    'looks again at once if the task has changed meanwhile, and remembers what it has counted',
    { ...ready, unadmittedLooks: 1, unfitTries: 2, begun: { kind: 'not-queued', engine } },
    again({ unadmittedLooks: 1, unfitTries: 2 }, 0, true),
  ],
  [
    'submits an attempt that has begun',
    { ...ready, begun: { kind: 'begun', task: queued, attempt, engine } },
    { kind: 'submit', task: queued, attempt, engine, request },
  ],
])('a worker that is given a task %s', (_, known, move) => {
  expect(nextMove(known)).toEqual(move);
});
