import { type Kysely, sql } from 'kysely';
import { engineJobIdOf } from '../domain/id.ts';
import { taskId, toUuid } from './ids.ts';
import type { Schema } from './schema.ts';

export interface DrainingLease {
  endpointId: string;
  slot: number;
  taskId: string;
  attempt: number;
  fencing: string;
  unknownSince: Date | null;
  engineJobId: string;
  operation: Record<string, string | number> | null;
  beganAt: Date;
}

/** The slots of an endpoint and their leases, with what operators and its breaker decided about it. */
export interface EndpointLeases {
  freeSlots: number[];
  leased: number;
  /** Leases whose task is no longer in progress in that attempt. */
  draining: DrainingLease[];
  drainedAt: Date | null;
  consecutiveFailures: number;
  trippedUntil: Date | null;
}

export function leaseTable(db: Kysely<Schema>) {
  return {
    /** Ensures that every slot of an endpoint has a row. */
    async ensureSlots(endpointId: string, slots: number): Promise<void> {
      await db
        .insertInto('leases')
        .values(Array.from({ length: slots }, (_, slot) => ({ endpoint_id: endpointId, slot })))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },

    /** Leases a free slot under the next fencing number; returns null if the slot is not free. */
    async take(endpointId: string, slot: number, id: string, attempt: number, at: Date): Promise<string | null> {
      const row = await db
        .updateTable('leases')
        .set({
          task_id: toUuid('task', id),
          attempt,
          fencing: sql<string>`nextval('fencing_numbers')`,
          leased_at: at,
          unknown_since: null,
        })
        .where('endpoint_id', '=', endpointId)
        .where('slot', '=', slot)
        .where('task_id', 'is', null)
        .returning('fencing')
        .executeTakeFirst();
      return row?.fencing ?? null;
    },

    /** Hands the lease of an attempt to a new holder, if it is still leased. */
    async takeOver(id: string, attempt: number, fencing: string): Promise<void> {
      await db
        .updateTable('leases')
        .set({ fencing })
        .where('task_id', '=', toUuid('task', id))
        .where('attempt', '=', attempt)
        .execute();
    },

    /** Frees a slot if the caller's fencing number is still current; returns whether it did. */
    async free(endpointId: string, slot: number, fencing: string): Promise<boolean> {
      const row = await db
        .updateTable('leases')
        .set({ task_id: null, attempt: null, fencing: null, leased_at: null, unknown_since: null })
        .where('endpoint_id', '=', endpointId)
        .where('slot', '=', slot)
        .where('fencing', '=', fencing)
        .returning('slot')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Reads everything that the owner of an endpoint needs, in one query. */
    async ofEndpoint(endpointId: string): Promise<EndpointLeases> {
      const rows = await db
        .selectFrom('leases')
        .leftJoin('endpoint_states', 'endpoint_states.endpoint_id', 'leases.endpoint_id')
        .leftJoin('attempts', (join) =>
          join.onRef('attempts.task_id', '=', 'leases.task_id').onRef('attempts.attempt', '=', 'leases.attempt'),
        )
        .leftJoin('tasks', 'tasks.id', 'leases.task_id')
        .select([
          'leases.slot',
          'leases.task_id',
          'leases.fencing',
          'leases.attempt',
          'leases.leased_at',
          'leases.unknown_since',
          'attempts.engine_job_id',
          'attempts.operation',
          'attempts.began_at',
          'endpoint_states.drained_at',
          'endpoint_states.failures_in_a_row',
          'endpoint_states.closed_until',
        ])
        // A lease is held while its task is in progress in that attempt; otherwise it drains.
        .select((row) =>
          row
            .and([row('tasks.status', '=', 'in_progress'), row('tasks.attempt', '=', row.ref('leases.attempt'))])
            .as('is_held'),
        )
        .where('leases.endpoint_id', '=', endpointId)
        .orderBy('leases.slot')
        .execute();
      const leased = rows.filter((row) => row.task_id !== null);
      return {
        freeSlots: rows.filter((row) => row.task_id === null).map((row) => row.slot),
        leased: leased.length,
        draining: leased.flatMap((row) =>
          row.is_held || row.task_id === null || row.fencing === null || row.attempt === null || row.leased_at === null
            ? []
            : [
                {
                  endpointId,
                  slot: row.slot,
                  taskId: taskId(row.task_id),
                  attempt: row.attempt,
                  fencing: row.fencing,
                  unknownSince: row.unknown_since,
                  // The record of a lease may be older than the retention, and gone.
                  engineJobId: row.engine_job_id ?? engineJobIdOf(taskId(row.task_id), row.attempt),
                  operation: row.operation,
                  beganAt: row.began_at ?? row.leased_at,
                },
              ],
        ),
        drainedAt: rows[0]?.drained_at ?? null,
        consecutiveFailures: rows[0]?.failures_in_a_row ?? 0,
        trippedUntil: rows[0]?.closed_until ?? null,
      };
    },

    async markUnknown(lease: DrainingLease, since: Date | null): Promise<void> {
      await db
        .updateTable('leases')
        .set({ unknown_since: since })
        .where('endpoint_id', '=', lease.endpointId)
        .where('slot', '=', lease.slot)
        .where('fencing', '=', lease.fencing)
        .execute();
    },

    /**
     * Counts the slots of endpoints that a worker has probed since the moment. The slots of an endpoint that left the
     * models file, or that no worker owns, stay as rows, but nothing can be rendered there.
     */
    async countLeased(seenSince: Date): Promise<{ endpointId: string; slots: number; leased: number }[]> {
      const rows = await db
        .selectFrom('leases')
        .innerJoin('endpoint_states', 'endpoint_states.endpoint_id', 'leases.endpoint_id')
        .select('leases.endpoint_id')
        .select((row) => [row.fn.countAll<string>().as('slots'), row.fn.count<string>('leases.task_id').as('leased')])
        .where('endpoint_states.seen_at', '>=', seenSince)
        .groupBy('leases.endpoint_id')
        .execute();
      return rows.map((row) => ({ endpointId: row.endpoint_id, slots: Number(row.slots), leased: Number(row.leased) }));
    },
  };
}
