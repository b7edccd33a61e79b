import { type Kysely, type Selectable, sql } from 'kysely';
import { crashesThatTrip, excusesPerSuccess } from '../../domain/breaker.ts';
import { seenWithinSeconds } from '../../domain/seen-endpoint.ts';
import type { EndpointStateRow, Schema } from '../connection/schema.ts';
import { isRecent } from './process-table.ts';

/** The state of an endpoint when its owner probed it last. */
export interface EndpointStatus {
  pool: string;
  slots: number;
  /** Whether it is given jobs. The column is `is_open`. */
  isAccepting: boolean;
  /** Why it is not accepting jobs, in a few words for operators. */
  reason: string | null;
  engine: string | null;
  version: string | null;
  models: readonly string[] | null;
  latencyMilliseconds: number | null;
}

export interface ObservedStatus {
  endpointId: string;
  status: EndpointStatus;
  at: Date;
}

export interface EndpointState extends EndpointStatus {
  endpointId: string;
  /** When its owner recorded it last, by the clock of Postgres; null if no worker has probed it yet. */
  seenAt: Date | null;
  /** How long ago that was. */
  seenSecondsAgo: number | null;
  /** Since when it has been accepting jobs, or not; null if that is not known. */
  statusSince: Date | null;
  /** When an operator took it out of service. */
  drainedAt: Date | null;
  consecutiveFailures: number;
  lastFailure: string | null;
  lastFailureAt: Date | null;
  /** Until when its breaker is tripped. The column is `closed_until`. */
  trippedUntil: Date | null;
}

/** Whether a row of `endpoint_states` tells how the endpoint is now. */
export const wasSeenLately = sql<boolean>`seen_at >= now() - make_interval(secs => ${sql.lit(seenWithinSeconds)})`;

const seenSecondsAgo = sql<number | null>`extract(epoch from now() - seen_at)::float8`.as('seen_seconds_ago');

export function endpointStateTable(db: Kysely<Schema>) {
  return {
    async list(): Promise<EndpointState[]> {
      const rows = await db
        .selectFrom('endpoint_states')
        .selectAll()
        .select(seenSecondsAgo)
        .orderBy('endpoint_id')
        .execute();
      return rows.map(toState);
    },

    async find(endpointId: string): Promise<EndpointState | null> {
      const row = await db
        .selectFrom('endpoint_states')
        .selectAll()
        .select(seenSecondsAgo)
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirst();
      return row ? toState(row) : null;
    },

    async recordStatus(endpointId: string, status: EndpointStatus, at: Date): Promise<void> {
      await this.recordStatuses([{ endpointId, status, at }]);
    },

    /** Stores what the owners of endpoints observed. */
    async recordStatuses(observed: readonly ObservedStatus[]): Promise<void> {
      const rows = observed.map(({ endpointId, at, status: { isAccepting, latencyMilliseconds, ...status } }) => {
        return {
          endpoint_id: endpointId,
          at,
          is_open: isAccepting,
          latency_milliseconds: latencyMilliseconds,
          ...status,
        };
      });
      // In the same order everywhere, so that two workers that hand endpoints over do not wait for each other.
      await sql`
        insert into endpoint_states (endpoint_id, pool, slots, is_open, reason, engine, version, models,
          latency_milliseconds, seen_at, status_since)
        select endpoint_id, pool, slots, is_open, reason, engine, version, models, latency_milliseconds, now(), at
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as observed (endpoint_id text, pool text, slots integer,
          is_open boolean, reason text, engine text, version text, models text[], latency_milliseconds integer,
          at timestamptz)
        order by endpoint_id
        on conflict (endpoint_id) do update set pool = excluded.pool, slots = excluded.slots,
          is_open = excluded.is_open, reason = excluded.reason, engine = excluded.engine, version = excluded.version,
          models = excluded.models, latency_milliseconds = excluded.latency_milliseconds, seen_at = excluded.seen_at,
          status_since = case when endpoint_states.is_open = excluded.is_open
            then endpoint_states.status_since else excluded.status_since end`.execute(db);
    },

    /** Takes an endpoint out of service or puts it back. Its owner acts on it within 2 s. */
    async setDrained(endpointId: string, pool: string, drainedAt: Date | null): Promise<void> {
      // An operator who resumes an endpoint trusts it again, so its breaker is reset.
      const reset = { failures_in_a_row: 0, closed_until: null };
      const change = { drained_at: drainedAt, ...(drainedAt === null ? reset : {}) };
      await db
        .insertInto('endpoint_states')
        .values({ endpoint_id: endpointId, pool, ...change })
        .onConflict((conflict) => conflict.column('endpoint_id').doUpdateSet(change))
        .execute();
    },

    /**
     * Counts a failure of the endpoint and returns how many are consecutive. Null if it is not counted: one crash ends
     * all concurrent jobs, so only a job begun after the last failure counts.
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

    async tripUntil(endpointId: string, moment: Date): Promise<void> {
      await db
        .updateTable('endpoint_states')
        .set({ closed_until: moment })
        .where('endpoint_id', '=', endpointId)
        .execute();
    },

    /**
     * Takes back one failure that was the task's fault, and ends the trip if fewer than two are left. Returns how many
     * are left; null if there was none to take back or if no success speaks for the endpoint.
     */
    async takeBackFailure(endpointId: string): Promise<number | null> {
      const row = await db
        .updateTable('endpoint_states')
        .set((current) => ({
          failures_in_a_row: current('failures_in_a_row', '-', 1),
          excuses_left: current('excuses_left', '-', 1),
          closed_until: current
            .case()
            .when('failures_in_a_row', '<=', crashesThatTrip)
            .then(null)
            .else(current.ref('closed_until'))
            .end(),
        }))
        .where('endpoint_id', '=', endpointId)
        .where('failures_in_a_row', '>', 0)
        .where('excuses_left', '>', 0)
        .returning('failures_in_a_row')
        .executeTakeFirst();
      return row?.failures_in_a_row ?? null;
    },

    /**
     * Deletes all rows of endpoints that have left: no process that lives names them, none has seen them for a day, and
     * none of their slots is leased. At most `limit`; returns how many. Without a living worker, nobody knows what left.
     */
    async deleteLeft(limit: number): Promise<number> {
      const result = await sql`
        with living as (select roles, endpoints from processes where ${isRecent})
        , gone as (
          select endpoint_id from endpoint_states as state
          where coalesce(greatest(seen_at, drained_at), '-infinity') < now() - interval '1 day'
            and exists (select from living where 'worker' = any(roles))
            and not exists (select from living where state.endpoint_id = any(endpoints))
            and not exists (
              select from leases where leases.endpoint_id = state.endpoint_id and leases.task_id is not null)
          limit ${limit} for update skip locked
        )
        , slots as (delete from leases using gone where leases.endpoint_id = gone.endpoint_id and task_id is null)
        , jobs as (delete from engine_jobs using gone where engine_jobs.endpoint_id = gone.endpoint_id)
        delete from endpoint_states using gone where endpoint_states.endpoint_id = gone.endpoint_id`.execute(db);
      return Number(result.numAffectedRows ?? 0n);
    },

    /** Resets the breaker after a success. Writes only if that changes something, and returns whether it did. */
    async noteSuccess(endpointId: string, beganAt: Date): Promise<boolean> {
      const row = await db
        .updateTable('endpoint_states')
        .set({ failures_in_a_row: 0, closed_until: null, excuses_left: excusesPerSuccess })
        .where('endpoint_id', '=', endpointId)
        .where((row) => row.or([row('failures_in_a_row', '>', 0), row('excuses_left', '<', excusesPerSuccess)]))
        // A job begun before the last failure does not show that the endpoint has recovered from it.
        .where((row) => row.or([row('last_failure_at', 'is', null), row('last_failure_at', '<', beganAt)]))
        .returning('endpoint_id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

function toState(row: Selectable<EndpointStateRow> & { seen_seconds_ago: number | null }): EndpointState {
  return {
    endpointId: row.endpoint_id,
    pool: row.pool,
    slots: row.slots,
    isAccepting: row.is_open,
    reason: row.reason,
    engine: row.engine,
    version: row.version,
    models: row.models,
    latencyMilliseconds: row.latency_milliseconds,
    seenAt: row.seen_at,
    seenSecondsAgo: row.seen_seconds_ago,
    statusSince: row.status_since,
    drainedAt: row.drained_at,
    consecutiveFailures: row.failures_in_a_row,
    lastFailure: row.last_failure,
    lastFailureAt: row.last_failure_at,
    trippedUntil: row.closed_until,
  };
}
