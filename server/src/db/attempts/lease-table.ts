import { type Kysely, sql } from 'kysely';
import { engineJobIdOf } from '../../domain/id.ts';
import { anyOf, taskId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { wasSeenLately } from './endpoint-state-table.ts';

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
  /** Reads attempts by the ids of their tasks, so that Postgres plans only the partitions that have them. */
  const attemptsOf = async (leases: readonly { task_id: string }[]) => {
    if (leases.length === 0) return [];
    const ids = leases.map(({ task_id }) => task_id);
    return db
      .selectFrom('attempts')
      .select(['task_id', 'attempt', 'engine_job_id', 'operation', 'began_at'])
      .where('task_id', '=', anyOf(ids))
      .execute();
  };

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
        .set({
          task_id: null,
          attempt: null,
          fencing: null,
          leased_at: null,
          unknown_since: null,
          freed_at: sql<Date>`now()`,
        })
        .where('endpoint_id', '=', endpointId)
        .where('slot', '=', slot)
        .where('fencing', '=', fencing)
        .returning('slot')
        .executeTakeFirst();
      return row !== undefined;
    },

    async ofEndpoint(endpointId: string): Promise<EndpointLeases> {
      const [leases] = await this.ofEndpoints([endpointId]);
      if (!leases) throw new Error('the leases of an endpoint were not read');
      return leases;
    },

    /** Reads everything that the owners of endpoints need, in one query, or two if a lease drains. */
    async ofEndpoints(endpointIds: readonly string[]): Promise<EndpointLeases[]> {
      const rows = await db
        .selectFrom('leases')
        .leftJoin('endpoint_states', 'endpoint_states.endpoint_id', 'leases.endpoint_id')
        .leftJoin('open_tasks', 'open_tasks.id', 'leases.task_id')
        .select([
          'leases.endpoint_id',
          'leases.slot',
          'leases.task_id',
          'leases.fencing',
          'leases.attempt',
          'leases.leased_at',
          'leases.unknown_since',
          'endpoint_states.drained_at',
          'endpoint_states.failures_in_a_row',
          'endpoint_states.closed_until',
        ])
        // A lease is held while its task is in progress in that attempt; otherwise it drains.
        .select((row) =>
          row
            .and([
              row('open_tasks.status', '=', 'in_progress'),
              row('open_tasks.attempt', '=', row.ref('leases.attempt')),
            ])
            .as('is_held'),
        )
        .where('leases.endpoint_id', '=', sql<string>`any(${endpointIds}::text[])`)
        .orderBy('leases.endpoint_id')
        .orderBy('leases.slot')
        .execute();
      const drainingRows = rows.flatMap((row) => {
        const { endpoint_id: endpointId, slot, task_id, attempt, fencing, leased_at, unknown_since } = row;
        return row.is_held || task_id === null || fencing === null || attempt === null || leased_at === null
          ? []
          : [{ endpointId, slot, task_id, attempt, fencing, unknownSince: unknown_since, leased_at }];
      });
      const attempts = await attemptsOf(drainingRows);
      const draining = drainingRows.map(({ task_id, leased_at, ...lease }): DrainingLease => {
        const attempt = attempts.find((row) => row.task_id === task_id && row.attempt === lease.attempt);
        return {
          ...lease,
          taskId: taskId(task_id),
          // The record of a lease may be older than the retention, and gone.
          engineJobId: attempt?.engine_job_id ?? engineJobIdOf(taskId(task_id), lease.attempt),
          operation: attempt?.operation ?? null,
          beganAt: attempt?.began_at ?? leased_at,
        };
      });
      const rowsOf = Map.groupBy(rows, ({ endpoint_id }) => endpoint_id);
      const drainingOf = Map.groupBy(draining, ({ endpointId }) => endpointId);
      return endpointIds.map((endpointId) => {
        const slots = rowsOf.get(endpointId) ?? [];
        const freeSlots = slots.filter(({ task_id }) => task_id === null).map(({ slot }) => slot);
        return {
          freeSlots,
          leased: slots.length - freeSlots.length,
          draining: drainingOf.get(endpointId) ?? [],
          drainedAt: slots[0]?.drained_at ?? null,
          consecutiveFailures: slots[0]?.failures_in_a_row ?? 0,
          trippedUntil: slots[0]?.closed_until ?? null,
        };
      });
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

    /** Counts slots of all endpoints or those probed lately: rows stay for endpoints where nothing can be rendered. */
    async countLeased(among: 'all' | 'seen'): Promise<{ endpointId: string; slots: number; leased: number }[]> {
      const rows = await db
        .selectFrom('leases')
        .innerJoin('endpoint_states', 'endpoint_states.endpoint_id', 'leases.endpoint_id')
        .select('leases.endpoint_id')
        .select((row) => [row.fn.countAll<string>().as('slots'), row.fn.count<string>('leases.task_id').as('leased')])
        .$if(among === 'seen', (query) => query.where(wasSeenLately))
        .groupBy('leases.endpoint_id')
        .execute();
      return rows.map((row) => ({ endpointId: row.endpoint_id, slots: Number(row.slots), leased: Number(row.leased) }));
    },
  };
}
