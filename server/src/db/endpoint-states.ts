import type { Kysely, Selectable } from 'kysely';
import type { EndpointStateRow, Schema } from './schema.ts';

/** What the owner of an endpoint saw when it looked last. */
export interface EndpointSight {
  pool: string;
  slots: number;
  /** Whether it would be given a job. */
  isOpen: boolean;
  /** Why not, in a few words for operators. */
  reason: string | null;
  engine: string | null;
  version: string | null;
  models: readonly string[] | null;
  latencyMilliseconds: number | null;
}

export interface EndpointState extends EndpointSight {
  endpointId: string;
  /** Null: nobody has looked at it yet. */
  seenAt: Date | null;
  /** When an operator took it out of service. */
  drainedAt: Date | null;
  failuresInARow: number;
  lastFailure: string | null;
  lastFailureAt: Date | null;
  /** Until when its breaker keeps it closed. */
  closedUntil: Date | null;
}

export function endpointStateTable(db: Kysely<Schema>) {
  return {
    async list(): Promise<EndpointState[]> {
      const rows = await db.selectFrom('endpoint_states').selectAll().orderBy('endpoint_id').execute();
      return rows.map(toState);
    },

    async find(endpointId: string): Promise<EndpointState | null> {
      const row = await db
        .selectFrom('endpoint_states')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirst();
      return row ? toState(row) : null;
    },

    /** Notes what the owner saw. */
    async see(endpointId: string, sight: EndpointSight, at: Date): Promise<void> {
      const seen = {
        pool: sight.pool,
        slots: sight.slots,
        is_open: sight.isOpen,
        reason: sight.reason,
        engine: sight.engine,
        version: sight.version,
        models: sight.models === null ? null : [...sight.models],
        latency_milliseconds: sight.latencyMilliseconds,
        seen_at: at,
      };
      await db
        .insertInto('endpoint_states')
        .values({ endpoint_id: endpointId, ...seen })
        .onConflict((conflict) => conflict.column('endpoint_id').doUpdateSet(seen))
        .execute();
    },

    /** Takes an endpoint out of service, or puts it back; its owner obeys within two seconds. */
    async setDrained(endpointId: string, pool: string, drainedAt: Date | null): Promise<void> {
      // Whoever puts it back trusts it again: what its breaker held against it is forgotten.
      const forgiven = { failures_in_a_row: 0, closed_until: null };
      const change = { drained_at: drainedAt, ...(drainedAt === null ? forgiven : {}) };
      await db
        .insertInto('endpoint_states')
        .values({ endpoint_id: endpointId, pool, ...change })
        .onConflict((conflict) => conflict.column('endpoint_id').doUpdateSet(change))
        .execute();
    },

    /**
     * Counts a job whose end speaks against the endpoint; answers how many there were in a row. Null where it says nothing new:
     * jobs that ran side by side fall with one crash, so that only one begun after the last failure counts again.
     */
    async noteFailure(endpointId: string, failure: { code: string; beganAt: Date; at: Date }): Promise<number | null> {
      const row = await db
        .updateTable('endpoint_states')
        .set((current) => ({
          failures_in_a_row: current('failures_in_a_row', '+', 1),
          last_failure: failure.code,
          last_failure_at: failure.at,
        }))
        .where('endpoint_id', '=', endpointId)
        .where((row) => row.or([row('last_failure_at', 'is', null), row('last_failure_at', '<', failure.beganAt)]))
        .returning('failures_in_a_row')
        .executeTakeFirst();
      return row?.failures_in_a_row ?? null;
    },

    async closeUntil(endpointId: string, moment: Date): Promise<void> {
      await db
        .updateTable('endpoint_states')
        .set({ closed_until: moment })
        .where('endpoint_id', '=', endpointId)
        .execute();
    },

    /** A job that was begun then succeeded. Writes only where there was something to forget, and answers whether there was. */
    async noteSuccess(endpointId: string, beganAt: Date): Promise<boolean> {
      const row = await db
        .updateTable('endpoint_states')
        .set({ failures_in_a_row: 0, closed_until: null })
        .where('endpoint_id', '=', endpointId)
        .where('failures_in_a_row', '>', 0)
        // What was begun before the last failure is no sign that the endpoint has recovered from it.
        .where('last_failure_at', '<', beganAt)
        .returning('endpoint_id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

function toState(row: Selectable<EndpointStateRow>): EndpointState {
  return {
    endpointId: row.endpoint_id,
    pool: row.pool,
    slots: row.slots,
    isOpen: row.is_open,
    reason: row.reason,
    engine: row.engine,
    version: row.version,
    models: row.models,
    latencyMilliseconds: row.latency_milliseconds,
    seenAt: row.seen_at,
    drainedAt: row.drained_at,
    failuresInARow: row.failures_in_a_row,
    lastFailure: row.last_failure,
    lastFailureAt: row.last_failure_at,
    closedUntil: row.closed_until,
  };
}
