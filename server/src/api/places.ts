import type { AppError } from '../errors.ts';

/** How much may be in use at once by everything that is counted under the same name. */
export interface PlaceLimit {
  name: string;
  maximum: number;
  /** The error of a request that finds no place. */
  refusal: () => AppError;
}

/** Counts what the requests of this process hold at once, so that one caller cannot hold what the others need. */
export interface Places {
  /** Takes an amount within all these limits and returns the function that releases it. Throws if one is exceeded. */
  take(limits: readonly PlaceLimit[], amount?: number): () => void;
}

export function createPlaces(): Places {
  const used = new Map<string, number>();
  return {
    take: (limits, amount = 1) => {
      for (const { name, maximum, refusal } of limits) {
        if ((used.get(name) ?? 0) + amount > maximum) throw refusal();
      }
      for (const { name } of limits) used.set(name, (used.get(name) ?? 0) + amount);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        for (const { name } of limits) {
          const left = (used.get(name) ?? amount) - amount;
          if (left === 0) used.delete(name);
          else used.set(name, left);
        }
      };
    },
  };
}
