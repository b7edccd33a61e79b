import type { Engine } from './engine.ts';

/** One engine process or GPU that renders for a pool. */
export interface Endpoint {
  id: string;
  pool: string;
  engine: Engine;
}

export interface Registry {
  pools: readonly string[];
  endpointsOf(pool: string): readonly Endpoint[];
  /** Null for an endpoint that has left the configuration: its attempts are lost. */
  find(endpointId: string): Endpoint | null;
}

/** Which endpoints there are, by the operator's configuration. */
export function createRegistry(endpoints: readonly Endpoint[]): Registry {
  return {
    pools: [...new Set(endpoints.map((endpoint) => endpoint.pool))],
    endpointsOf: (pool) => endpoints.filter((endpoint) => endpoint.pool === pool),
    find: (endpointId) => endpoints.find((endpoint) => endpoint.id === endpointId) ?? null,
  };
}
