import type { Engine } from './engine.ts';

/** One engine process or GPU that renders for a pool. */
export interface Endpoint {
  id: string;
  pool: string;
  engine: Engine;
}

/** The endpoints of the operator's configuration, which may change while the process runs. */
export interface Registry {
  /** Returns the endpoints that the configuration names now. */
  endpoints(): readonly Endpoint[];
  /** Also finds endpoints that left since this process started: they drain, and their jobs are followed. */
  find(endpointId: string): Endpoint | null;
  /** Returns whether an endpoint is in the configuration; only then may it begin jobs. */
  isListed(endpointId: string): boolean;
  /** Applies a new configuration. An endpoint whose description did not change keeps its engine. */
  replace(endpoints: readonly Endpoint[]): void;
  /** Calls the listener after every replacement, until the returned function is called. */
  onReplaced(listener: () => void): () => void;
}

/** `find` returns null for an endpoint that this process never had in its configuration: its attempts count as lost. */
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
