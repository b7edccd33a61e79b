import { setTimeout as pause } from 'node:timers/promises';

/** The time of one engine, in milliseconds since 1970. */
export interface EngineClock {
  now(): number;
  /** Resolves at a moment. */
  until(moment: number): Promise<void>;
  /** Calls `tick` again and again, until it returns false. */
  every(milliseconds: number, tick: () => boolean): void;
  /** Called for each request that the engine gets. */
  noteRequest(): void;
}

export const realClock: EngineClock = {
  now: () => Date.now(),
  until: (moment) => pause(Math.max(0, moment - Date.now())),
  every(milliseconds, tick) {
    const timer = setInterval(() => {
      if (!tick()) clearInterval(timer);
    }, milliseconds);
  },
  noteRequest: () => undefined,
};

/** Creates a clock that moves only with the engine's requests: a job takes the same number of polls on any machine. */
export function createRequestClock(millisecondsPerRequest: number): EngineClock {
  let now = Date.now();
  const waiting = new Set<{ moment: number; wake: () => void }>();
  const until = (moment: number): Promise<void> =>
    moment <= now ? Promise.resolve() : new Promise((wake) => void waiting.add({ moment, wake }));
  return {
    now: () => now,
    until,
    every(milliseconds, tick) {
      const repeat = async (): Promise<void> => {
        for (let moment = now + milliseconds; ; moment += milliseconds) {
          await until(moment);
          if (!tick()) return;
        }
      };
      void repeat();
    },
    noteRequest() {
      now += millisecondsPerRequest;
      for (const one of [...waiting].toSorted((a, b) => a.moment - b.moment)) {
        if (one.moment > now) break;
        waiting.delete(one);
        one.wake();
      }
    },
  };
}
