import { asyncLocalStorage, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { CreateWorker } from '../installation.ts';

/** What becomes of one call of an activity. */
type Fate =
  /** Its worker is gone before it did anything, or after all was done but not reported. */
  | 'dies before'
  | 'dies after'
  /** It works, but Temporal gets no heartbeat. */
  | 'is silent'
  /** It fails although nothing is wrong. */
  | 'fails'
  /** It does nothing and wants to be called again. */
  | 'again'
  /** It does nothing and ends the workflow. */
  | 'ends';

type Fates = Readonly<Record<string, Fate>>;

/** What a life may do to the world around it, on both sides. */
export interface Side {
  until(taskId: string, status: 'in_progress' | 'completed'): Promise<void>;
  cancel(taskId: string): Promise<void>;
  startAgain(taskId: string): Promise<void>;
  terminate(taskId: string): Promise<void>;
  /** Starts a workflow of no task, whose input is so long that Temporal soon suggests a new run. */
  startLongOne(): Promise<void>;
  /** Ends the worker in good order and starts another one. */
  replaceWorker(): Promise<void>;
}

export interface ScriptedLife {
  name: string;
  pool?: 'up' | 'down';
  hasNoTask?: true;
  /** How long the engine takes. */
  seconds?: number;
  /** By the activity and the number of its call, such as `generate 1`. */
  fates?: Fates;
  happens?(side: Side, taskId: string): Promise<void>;
}

const loops = 150;

export const scriptedLives: readonly ScriptedLife[] = [
  { name: 'plain' },
  { name: 'death before the start', fates: { 'generate 1': 'dies before' } },
  { name: 'death after the end', fates: { 'generate 1': 'dies after' } },
  { name: 'lost heartbeat', seconds: 20, fates: { 'generate 1': 'is silent' } },
  { name: 'time-out', fates: { 'generate 1': 'dies before', 'follow 1': 'dies before' } },
  {
    name: 'cancel while queued',
    pool: 'down',
    happens: (side, taskId) => side.cancel(taskId),
  },
  {
    name: 'cancel while running',
    seconds: 20,
    happens: async (side, taskId) => {
      await side.until(taskId, 'in_progress');
      await side.cancel(taskId);
    },
  },
  {
    name: 'retry of follow',
    fates: { 'generate 1': 'fails', 'follow 1': 'fails', 'follow 2': 'fails' },
  },
  {
    name: 'second start of one id',
    seconds: 3,
    happens: async (side, taskId) => {
      await side.until(taskId, 'in_progress');
      await side.startAgain(taskId);
      await side.until(taskId, 'completed');
      await side.startAgain(taskId);
    },
  },
  {
    name: 'workflow terminated',
    seconds: 10,
    happens: async (side, taskId) => {
      await side.until(taskId, 'in_progress');
      await side.terminate(taskId);
      await side.startAgain(taskId);
    },
  },
  {
    name: 'continue as new',
    hasNoTask: true,
    fates: {
      ...Object.fromEntries(Array.from({ length: loops }, (_, index) => [`generate ${index + 1}`, 'again'] as const)),
      [`generate ${loops + 1}`]: 'ends',
    },
  },
  {
    name: 'worker shutdown',
    seconds: 8,
    happens: async (side, taskId) => {
      await side.until(taskId, 'in_progress');
      await side.replaceWorker();
    },
  },
];

/** Each call of an activity and how it ended, in the order in which they began. */
export type Calls = Map<string, string[]>;

/**
 * Lets activities meet their fates, and writes down what became of each call. `lifeOf` names the life of a task; calls
 * that never return do so when `over` resolves, because a worker of the SDK waits for them.
 */
export function meetFates(
  calls: Calls,
  lifeOf: (taskId: string) => Promise<ScriptedLife | null>,
  over: Promise<unknown>,
): (createWorker: CreateWorker) => CreateWorker {
  const counts = new Map<string, number>();
  const call = async (type: string, activity: (input: unknown) => Promise<unknown>, input: { taskId: string }) => {
    const life = await lifeOf(input.taskId);
    if (!life) return activity(input);
    const key = `${life.name} ${type}`;
    const number = (counts.get(key) ?? 0) + 1;
    counts.set(key, number);
    const mine = calls.get(life.name) ?? [];
    calls.set(life.name, mine);
    const index = mine.push('') - 1;
    const note = (outcome: string): void => {
      mine[index] = `${type}: ${outcome}`;
    };
    note('no end');
    const end = async (): Promise<never> => {
      await over;
      throw ApplicationFailure.retryable('the test is over');
    };
    switch (life.fates?.[`${type} ${number}`]) {
      case 'dies before':
        return end();
      case 'dies after':
        await activity(input);
        return end();
      case 'is silent':
        await silently(() => activity(input)).catch(() => undefined);
        return end();
      case 'fails':
        note('failed');
        throw ApplicationFailure.retryable('as its life says');
      case 'again':
        note('again');
        return 'generate';
      case 'ends':
        note('ended');
        return 'ended';
      case undefined:
        return activity(input).then(
          (result) => {
            note(String(result));
            return result;
          },
          (error: unknown) => {
            note('failed');
            throw error;
          },
        );
    }
  };
  return (createWorker) => (options) => {
    const activities = Object.entries(
      (options.activities ?? {}) as Record<string, (input: unknown) => Promise<unknown>>,
    );
    const wrapped = activities.map(([type, activity]) => [
      type,
      (input: unknown) => call(type, activity, input as { taskId: string }),
    ]);
    return createWorker({ ...options, activities: Object.fromEntries(wrapped) });
  };
}

function silently<T>(work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const silent = Object.create(context, { heartbeat: { value: () => undefined } }) as Context;
  return asyncLocalStorage.run(silent, work);
}
