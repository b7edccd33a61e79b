import type { Clock } from '../domain/clock.ts';

interface Call<Key, Value> {
  key: Key;
  settle: PromiseWithResolvers<Value>;
}

/** Answers the calls of a moment together: `read` gets all of their keys, and returns the values in the same order. */
export function gather<Key, Value>(
  clock: Clock,
  milliseconds: number,
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: Call<Key, Value>[] = [];
  const answer = async (): Promise<void> => {
    const calls = waiting;
    waiting = [];
    try {
      const values = await read(calls.map(({ key }) => key));
      calls.forEach(({ settle }, index) => settle.resolve(values[index] as Value));
    } catch (error) {
      for (const { settle } of calls) settle.reject(error);
    }
  };
  return (key) => {
    const settle = Promise.withResolvers<Value>();
    waiting.push({ key, settle });
    if (waiting.length === 1) clock.after(milliseconds, () => void answer());
    return settle.promise;
  };
}
