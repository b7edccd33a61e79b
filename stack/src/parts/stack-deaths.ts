import { partPid } from './stack-part.ts';
import { type PartName, partNames } from './stack-state.ts';

export interface DeathWatch {
  listen(listener: (part: PartName) => void): void;
  /** Must be called before a part is ended on purpose: listeners are not notified of its exit until `watchAgain`. */
  expectExit(part: PartName): void;
  watchAgain(part: PartName): void;
}

/** Polls the recorded processes five times per second, because adopted processes are not our children. */
export function watchDeaths(folder: string): DeathWatch {
  const listeners: ((part: PartName) => void)[] = [];
  const living = new Set<PartName>();
  const expected = new Set<PartName>();
  let timer: NodeJS.Timeout | undefined;
  const poll = () => {
    for (const part of partNames) {
      if (expected.has(part)) continue;
      if (partPid(folder, part) !== null) living.add(part);
      else if (living.delete(part)) for (const listener of listeners) listener(part);
    }
  };
  return {
    listen(listener) {
      listeners.push(listener);
      poll();
      timer ??= setInterval(poll, 200).unref();
    },
    expectExit(part) {
      expected.add(part);
      living.delete(part);
    },
    watchAgain(part) {
      expected.delete(part);
      living.add(part); // not left to the next poll: the part may be dead by then
    },
  };
}
