import type { Endpoint, Registry } from '../engines/registry.ts';
import type { Log } from '../telemetry/log.ts';
import { type EndpointOwner, gatherRows, ownEndpoint } from './endpoint-owner.ts';
import type { EngineUses } from './engine-uses.ts';
import { SlotBoard } from './slot-board.ts';

interface Dependencies extends Omit<Parameters<typeof ownEndpoint>[0], 'board' | 'rows'> {
  registry: Registry;
  engineUses: EngineUses;
  log: Log;
}

export interface FollowedRegistry {
  /** Starts a maintenance round of an endpoint now, if this process owns it. Others take their turn within 2 s. */
  maintainEndpoint(id: string): void;
  close(): Promise<void>;
}

/**
 * Owns the endpoints of the configuration and follows its changes. An endpoint that left, or that has another engine
 * under its old id, is retired: its jobs run to their end, then its engine is closed; until then its successor waits
 * for the lock. A pool starts with its first endpoint and never stops: tasks that were accepted for it still have to
 * end.
 */
export function followRegistry(
  dependencies: Dependencies,
  startPool: (pool: string, board: SlotBoard) => void,
): FollowedRegistry {
  const { registry, engineUses, log } = dependencies;
  const rows = gatherRows(dependencies);
  const boards = new Map<string, SlotBoard>();
  const owned = new Map<string, { endpoint: Endpoint; owner: EndpointOwner }>();
  const retiring = new Set<EndpointOwner>();
  const engines = new Set<Endpoint['engine']>();

  const boardOf = (pool: string): SlotBoard => {
    const known = boards.get(pool);
    if (known) return known;
    const board = new SlotBoard();
    boards.set(pool, board);
    startPool(pool, board);
    return board;
  };

  const retire = async ({ endpoint, owner }: { endpoint: Endpoint; owner: EndpointOwner }): Promise<void> => {
    log.info({ event: 'endpoint.retired', endpoint: endpoint.id }, 'endpoint retired');
    retiring.add(owner);
    await owner.retire();
    retiring.delete(owner);
    if (isClosed) return; // then all engines are closed together
    await engineUses.closeWhenIdle(endpoint.engine);
    engines.delete(endpoint.engine);
    log.info({ event: 'endpoint.removed', endpoint: endpoint.id }, 'endpoint removed');
  };

  const follow = (): void => {
    const listed = new Map(registry.endpoints().map((endpoint) => [endpoint.id, endpoint]));
    for (const [id, current] of owned) {
      const next = listed.get(id);
      if (next?.engine === current.endpoint.engine && next.pool === current.endpoint.pool) continue;
      owned.delete(id);
      retire(current).catch((error: unknown) =>
        log.error({ event: 'endpoint.close_failed', err: error, endpoint: id }, 'endpoint not closed'),
      );
    }
    for (const endpoint of listed.values()) {
      if (owned.has(endpoint.id)) continue;
      const board = boardOf(endpoint.pool);
      engines.add(endpoint.engine);
      owned.set(endpoint.id, { endpoint, owner: ownEndpoint({ ...dependencies, rows, board }, endpoint) });
    }
  };

  let isClosed = false;
  follow();
  const stopFollowing = registry.onReplaced(follow);
  const owners = (): EndpointOwner[] => [...[...owned.values()].map(({ owner }) => owner), ...retiring];
  return {
    maintainEndpoint: (id) => {
      for (const owner of [owned.get(id)?.owner, ...retiring]) owner?.maintainSoon();
    },
    close: async () => {
      isClosed = true;
      stopFollowing();
      await Promise.all(owners().map((owner) => owner.close()));
      await Promise.all([...engines].map((engine) => engineUses.closeWhenIdle(engine)));
    },
  };
}
