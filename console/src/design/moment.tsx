import { useMemo, useSyncExternalStore } from 'react';
import { formatExact, formatRelative } from './format.ts';

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
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
}

/** Returns the time in milliseconds, again every second. All users share one timer. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** Returns a text that depends on the time. The component renders only when the text changes. */
export function useTextOfNow(textOf: (nowMilliseconds: number) => string): string {
  return useSyncExternalStore(subscribe, () => textOf(now));
}

/** A moment, relative to now; the exact one on hover. */
export function Moment({ at }: { at: number }) {
  const text = useTextOfNow((current) => formatRelative(at, current));
  const exact = useMemo(() => formatExact(at), [at]);
  return (
    <time dateTime={new Date(at * 1000).toISOString()} title={exact} className="whitespace-nowrap">
      {text}
    </time>
  );
}
