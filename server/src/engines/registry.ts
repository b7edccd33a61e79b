import type { Engine } from './engine.ts';

/** One engine process or GPU that renders for a pool. */
export interface Endpoint {
  id: string;
  pool: string;
  engine: Engine;
}

/** Which endpoints there are, by the operator's configuration; it may change while they work. */
export interface Registry {
  /** Those that the configuration names now. */
  endpoints(): readonly Endpoint[];
  /** Also those that have left the configuration since this process started: they are drained, and their jobs followed. */
  find(endpointId: string): Endpoint | null;
  /** Whether an endpoint may begin jobs: it is in the configuration. */
  isListed(endpointId: string): boolean;
  /** Takes a new configuration over. An endpoint that is described as before keeps its engine. */
  replace(endpoints: readonly Endpoint[]): void;
  /** Told after every replacement, until the answer is called. */
  onReplaced(listener: () => void): () => void;
}

/** An endpoint that was never configured here is null: after a restart its attempts are lost. */
export function createRegistry(initial: readonly Endpoint[]): Registry {
  let listed = initial;
  const known = new Map(initial.map((endpoint) => [endpoint.id, endpoint]));
  const listeners = new Set<() => void>();
  return {
    endpoints: () => listed,
    find: (endpointId) => known.get(endpointId) ?? null,
    isListed: (endpointId) => listed.some(({ id }) => id === endpointId),
    replace: (endpoints) => {
      listed = endpoints;
      for (const endpoint of endpoints) known.set(endpoint.id, endpoint);
      for (const listener of listeners) listener();
    },
    onReplaced: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
