import type { Engine } from '../engines/engine.ts';

export interface EngineUses {
  /** Begins a use; the returned function ends it. Returns null if the engine was closed, so that it is out of reach. */
  enter(engine: Engine): (() => void) | null;
  /** Returns whether the engine was not closed. */
  isOpen(engine: Engine): boolean;
  /** Closes an engine as soon as it has no users. */
  closeWhenIdle(engine: Engine): Promise<void>;
}

/** Counts the users of each engine: the last file of an endpoint that left is fetched after its last slot was freed. */
export function createEngineUses(): EngineUses {
  const counts = new Map<Engine, number>();
  const closed = new WeakSet<Engine>();
  const waiting = new Map<Engine, () => void>();
  return {
    enter(engine) {
      if (closed.has(engine)) return null;
      counts.set(engine, (counts.get(engine) ?? 0) + 1);
      return () => {
        const left = (counts.get(engine) ?? 1) - 1;
        if (left > 0) {
          counts.set(engine, left);
          return;
        }
        counts.delete(engine);
        waiting.get(engine)?.();
      };
    },
    isOpen: (engine) => !closed.has(engine),
    async closeWhenIdle(engine) {
      if (counts.has(engine)) await new Promise<void>((resolve) => waiting.set(engine, resolve));
      waiting.delete(engine);
      closed.add(engine);
      await engine.close();
    },
  };
}
