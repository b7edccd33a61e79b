import { useSyncExternalStore } from 'react';
import { formatExact, formatRelative } from './format.ts';

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the time in milliseconds, again every second. All users share one timer. */
export function useNow(): number {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      timer ??= setInterval(() => {
        now = Date.now();
        for (const one of listeners) one();
      }, 1_000);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    () => now,
  );
}

/** A moment, relative to now; the exact one on hover. */
export function Moment({ at }: { at: number }) {
  const current = useNow();
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={formatExact(at)} className="whitespace-nowrap">
      {formatRelative(at, current)}
    </time>
  );
}
