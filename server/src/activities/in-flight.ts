/** Counts the work in flight per key, so that no key takes more than its share. */
interface InFlight {
  /** Takes a place; the returned function gives it back. Returns null if all places are taken. */
  enter(key: string, places: number): (() => void) | null;
}

export function createInFlight(): InFlight {
  const counts = new Map<string, number>();
  return {
    enter(key, places) {
      const taken = counts.get(key) ?? 0;
      if (taken >= places) return null;
      counts.set(key, taken + 1);
      return () => {
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
  };
}
