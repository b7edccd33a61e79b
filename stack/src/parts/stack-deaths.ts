import { partPid } from './stack-part.ts';
import { type PartName, partNames } from './stack-state.ts';

export interface DeathWatch {
  listen(listener: (part: PartName) => void): void;
  /** The part is about to be ended on purpose: no listener hears of it until `revive`. */
  expect(part: PartName): void;
  revive(part: PartName): void;
}

/** Looks at the recorded processes five times a second, whoever started them: adopted ones tell nobody of their end. */
export function watchDeaths(folder: string): DeathWatch {
  const listeners: ((part: PartName) => void)[] = [];
  const living = new Set<PartName>();
  const expected = new Set<PartName>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const part of partNames) {
      if (expected.has(part)) continue;
      if (partPid(folder, part) !== null) living.add(part);
      else if (living.delete(part)) for (const listener of listeners) listener(part);
    }
  };
  return {
    listen(listener) {
      listeners.push(listener);
      look();
      timer ??= setInterval(look, 200).unref();
    },
    expect(part) {
      expected.add(part);
      living.delete(part);
    },
    revive(part) {
      expected.delete(part);
      living.add(part); // not left to the next look: it may be dead by then
    },
  };
}
