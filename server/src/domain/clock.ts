import { setTimeout as pause } from 'node:timers/promises';

/** Time, injected so that tests and the simulation can move it. */
export interface Clock {
  /** The time of day. What a role of the service gets here is Postgres's, which all processes share. */
  now(): Date;
  /** Milliseconds since some moment of this process. They pass evenly, whatever happens to the time of day. */
  elapsed(): number;
  /** Waits. Rejects at once if the signal aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls `work` once, unless the returned function is called before. */
  after(milliseconds: number, work: () => void): () => void;
  /** Calls `work` again and again, until the returned function is called. It keeps no process alive. */
  every(milliseconds: number, work: () => void): () => void;
  /** Returns a signal that aborts after this time. It keeps no process alive. */
  deadline(milliseconds: number): AbortSignal;
}

export const systemClock: Clock = {
  now: () => new Date(),
  elapsed: () => performance.now(),
  wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }),
  after(milliseconds, work) {
    const timer = setTimeout(work, milliseconds);
    return () => clearTimeout(timer);
  },
  every(milliseconds, work) {
    const timer = setInterval(work, milliseconds).unref();
    return () => clearInterval(timer);
  },
  deadline: (milliseconds) => AbortSignal.timeout(milliseconds),
};
