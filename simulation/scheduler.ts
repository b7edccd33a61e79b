import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../server/src/domain/clock.ts';

/** One process of the simulated installation. It runs nothing once it has died, and waits while it is frozen. */
export interface Process {
  readonly name: string;
  /** How far its clock is ahead of the world's. */
  readonly clockOffsetMilliseconds: number;
  /** Whether the director is asked what goes wrong with it. */
  readonly canFail: boolean;
  isAlive: boolean;
  isFrozen: boolean;
}

export function newProcess(name: string, { clockOffsetMilliseconds = 0, canFail = true } = {}): Process {
  return { name, clockOffsetMilliseconds, canFail, isAlive: true, isFrozen: false };
}

/** Where a process may die. */
export type Place = Pick<Step, 'process' | 'name'>;

/** A call of a port that waits for its turn: one whole transaction, or one call of an engine, store, receiver or Temporal. */
export interface Step {
  readonly process: Process;
  readonly name: string;
  readonly isEnabled: () => boolean;
  readonly run: () => Promise<void>;
  /** What the caller sees instead of the result if the connection is lost. */
  readonly fail: (error: Error) => void;
}

/** What everything outside the processes needs of the scheduler. */
export interface Turns {
  readonly milliseconds: number;
  /** Counts what has changed outside the processes. */
  changes: number;
  call<T>(process: Process, name: string, effect: () => Promise<T> | T): Promise<T>;
  clockOf(process: Process): Clock;
}

interface Timer {
  process: Process;
  at: number;
  order: number;
  run: () => void;
}

/** What the world does next, and what goes wrong there. */
export interface Director {
  /** Picks one of the steps, or the timers that are due. */
  choose(steps: readonly Step[], hasDueTimer: boolean): Step | 'timer' | 'later';
  /** Called before a step takes effect. */
  before(step: Place): Fate;
  /** Called after a step took effect, before its caller knows. */
  after(step: Place): Fate;
}

/** `lost`: the connection breaks at this point, and the caller gets an error. */
export type Fate = 'go-on' | 'dies' | 'lost';

/** Virtual time begins here. */
export const beginning = Date.parse('2026-01-05T12:00:00Z');

const never = new Promise<never>(() => undefined);

/** Runs one step at a time; in between, all processes wait, so that the same choices give the same history. */
export class Scheduler implements Turns {
  readonly #began: number;
  milliseconds: number;
  readonly #director: Director;
  readonly #record: ((line: string) => void) | null;
  #steps: Step[] = [];
  /** Steps that have come since all processes waited. */
  #arrived: Step[] = [];
  #timers: Timer[] = [];
  #order = 0;
  #current: Process | null = null;
  #died: (() => void) | null = null;
  changes = 0;

  constructor(director: Director, began = beginning, record: ((line: string) => void) | null = null) {
    this.#began = began;
    this.milliseconds = began;
    this.#director = director;
    this.#record = record;
  }

  /** Adds a line to the history, if there is one. */
  note(line: () => string): void {
    this.#record?.(`${this.milliseconds - this.#began} ${line()}`);
  }

  /** Makes a call that takes effect in one step, when it is this step's turn. */
  call<T>(process: Process, name: string, effect: () => Promise<T> | T, isEnabled = () => true): Promise<T> {
    if (!process.isAlive) return never;
    // Inside a transaction nothing is interleaved, but the process may die there.
    if (this.#current === process) return this.#callWithin(process, name, effect);
    return new Promise<T>((resolve, reject) => {
      this.#arrived.push({
        process,
        name,
        isEnabled,
        fail: reject,
        run: async () => {
          const settle = await settled(effect);
          this.learn(process, name).then(() => settle(resolve, reject), reject);
        },
      });
    });
  }

  /** Waits for its turn and holds it until the returned function is called. */
  enter(process: Process, name: string, onDeath: () => Promise<void>): Promise<() => void> {
    if (!process.isAlive) return never;
    return new Promise((resolve, reject) => {
      this.#arrived.push({
        process,
        name,
        isEnabled: () => true,
        fail: reject,
        run: async () => {
          const left = Promise.withResolvers<'left' | 'died'>();
          this.#current = process;
          this.#died = () => left.resolve('died');
          resolve(() => left.resolve('left'));
          const how = await left.promise;
          this.#current = null;
          this.#died = null;
          if (how === 'died') await onDeath();
        },
      });
    });
  }

  /** Decides after the effect of a transaction whether its process learns of it. Never resolves if the process dies. */
  async learn(process: Process, name: string): Promise<void> {
    const fate = process.canFail ? this.#director.after({ process, name }) : 'go-on';
    if (fate === 'lost') throw connectionLost({ process, name });
    if (fate !== 'dies') return;
    this.kill(process);
    await never;
  }

  async #callWithin<T>(process: Process, name: string, effect: () => Promise<T> | T): Promise<T> {
    this.note(() => `${process.name} ${name}, inside a transaction`);
    if (process.canFail && this.#director.before({ process, name }) === 'dies') {
      this.kill(process);
      return never;
    }
    const result = await effect();
    await this.learn(process, name);
    return result;
  }

  readonly #onDeath = new Map<Process, (() => void)[]>();

  /** Resolves when a process dies. */
  untilDead(process: Process): Promise<void> {
    return new Promise((resolve) => {
      this.#onDeath.set(process, [...(this.#onDeath.get(process) ?? []), resolve]);
    });
  }

  kill(process: Process): void {
    if (!process.isAlive) return;
    this.note(() => `${process.name} dies`);
    process.isAlive = false;
    this.#steps = this.#steps.filter((step) => step.process !== process);
    this.#arrived = this.#arrived.filter((step) => step.process !== process);
    this.#timers = this.#timers.filter((timer) => timer.process !== process);
    for (const listener of this.#onDeath.get(process) ?? []) listener();
    if (this.#current === process) this.#died?.();
  }

  after(process: Process, milliseconds: number, run: () => void): () => void {
    if (!process.isAlive) return () => undefined;
    this.#order += 1;
    const timer: Timer = {
      process,
      at: this.milliseconds + Math.max(0, milliseconds),
      order: this.#order,
      run: AsyncLocalStorage.bind(run),
    };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  clockOf(process: Process): Clock {
    const after: Clock['after'] = (milliseconds, work) => this.after(process, milliseconds, work);
    return {
      now: () => new Date(this.milliseconds + process.clockOffsetMilliseconds),
      elapsed: () => this.milliseconds - this.#began,
      after,
      every(milliseconds, work) {
        let stop = after(milliseconds, again);
        function again(): void {
          stop = after(milliseconds, again);
          work();
        }
        return () => stop();
      },
      wait: (milliseconds, signal) =>
        new Promise<void>((resolve, reject) => {
          const abort = (): void => {
            stop();
            reject(new DOMException('The operation was aborted', { name: 'AbortError', cause: signal?.reason }));
          };
          const stop = after(milliseconds, () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          });
          if (signal?.aborted) abort();
          else signal?.addEventListener('abort', abort, { once: true });
        }),
      deadline(milliseconds) {
        const controller = new AbortController();
        after(milliseconds, () => controller.abort(new DOMException('The time is up', 'TimeoutError')));
        return controller.signal;
      },
    };
  }

  /** Runs the world until `isOver`, or until this virtual time. Returns whether it was over in time. */
  async run(isOver: () => boolean, until: number): Promise<boolean> {
    for (;;) {
      await untilQuiet();
      this.#settle();
      if (isOver()) return true;
      if (!this.#hasNext()) {
        const next = this.#nextTimer()?.at;
        if (next === undefined || next > until) {
          this.milliseconds = Math.max(this.milliseconds, Math.min(until, next ?? until));
          return false;
        }
        this.milliseconds = Math.max(this.milliseconds, next);
      }
      await this.#takeOne();
    }
  }

  /** Puts the steps that have come in an order that does not depend on the disk. */
  #settle(): void {
    if (this.#arrived.length > 1) this.#arrived.sort((one, other) => compare(placeOf(one), placeOf(other)));
    this.#steps.push(...this.#arrived.splice(0));
  }

  #enabled(): Step[] {
    return this.#steps.filter(({ process, isEnabled }) => !process.isFrozen && isEnabled());
  }

  /** The next timer of a process that is not frozen. A timer that came due during the freeze runs right after it. */
  #nextTimer(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.process.isFrozen) continue;
      if (!first || timer.at < first.at || (timer.at === first.at && timer.order < first.order)) first = timer;
    }
    return first;
  }

  #hasNext(): boolean {
    const next = this.#nextTimer();
    return (next !== undefined && next.at <= this.milliseconds) || this.#enabled().length > 0;
  }

  async #takeOne(): Promise<void> {
    const steps = this.#enabled();
    const timer = this.#nextTimer();
    const isDue = timer !== undefined && timer.at <= this.milliseconds;
    const choice = steps.length === 0 && isDue ? 'timer' : this.#director.choose(steps, isDue);
    if (choice === 'later') {
      if (timer) this.milliseconds = Math.max(this.milliseconds, timer.at);
      return;
    }
    if (choice === 'timer') {
      if (!timer) return;
      this.#timers = this.#timers.filter((other) => other !== timer);
      timer.run();
      return;
    }
    this.#steps = this.#steps.filter((other) => other !== choice);
    this.note(() => placeOf(choice));
    const fate = choice.process.canFail ? this.#director.before(choice) : 'go-on';
    if (fate === 'dies') return this.kill(choice.process);
    if (fate === 'lost') return choice.fail(connectionLost(choice));
    await choice.run();
  }
}

export function placeOf({ process, name }: Place): string {
  return `${process.name} ${name}`;
}

/** Runs an effect; the returned function passes its outcome on. */
async function settled<T>(
  effect: () => Promise<T> | T,
): Promise<(resolve: (value: T) => void, reject: (error: unknown) => void) => void> {
  try {
    const value = await effect();
    return (resolve) => resolve(value);
  } catch (error) {
    return (_, reject) => reject(error);
  }
}

function connectionLost(place: Place): Error {
  const message = `Connection terminated unexpectedly: ${placeOf(place)}`;
  return Object.assign(new Error(message), { code: 'ECONNRESET' });
}

/** Resolves once every process waits for a step or a timer. Files are the only real input and output between two steps. */
async function untilQuiet(): Promise<void> {
  let quietTurns = 0;
  while (quietTurns < 2) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    const isBusy = process.getActiveResourcesInfo().some((name) => /^(FSReq|CloseReq)/.test(name));
    quietTurns = isBusy ? 0 : quietTurns + 1;
  }
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
