import { type Kysely, sql } from 'kysely';
import { toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import type { Attempt } from './attempt-table.ts';

type Operation = NonNullable<Attempt['operation']>;

/** The jobs of engines that assign the ids themselves, and the attempt that each job belongs to. */
export function engineJobTable(db: Kysely<Schema>) {
  return {
    /** Gives a job to an attempt that the caller holds. Throws if another has it: engines never assign an id twice. */
    async name(attempt: Attempt, operation: Operation): Promise<void> {
      // Jobs named long before the endpoint's oldest lease are never compared; a day is longer than clocks differ.
      await sql`
        with named as (
          update attempts set operation = ${JSON.stringify(operation)}::jsonb
          where task_id = ${toUuid('task', attempt.taskId)} and attempt = ${attempt.attempt}
            and fencing = ${attempt.fencing}
          returning endpoint_id, operation, task_id, attempt
        ), forgotten as (
          delete from engine_jobs where endpoint_id = ${attempt.endpointId}
            and named_at < (select min(leased_at) from leases where endpoint_id = ${attempt.endpointId}) - interval '1 day'
        )
        insert into engine_jobs (endpoint_id, operation, task_id, attempt, named_at)
        select endpoint_id, operation, task_id, attempt, now() from named
      `.execute(db);
    },

    /** Returns those of an endpoint's jobs that belong to no attempt. */
    async unnamed<T extends Operation>(endpointId: string, operations: readonly T[]): Promise<T[]> {
      if (operations.length === 0) return [];
      // The version before this table stored the id only with the attempt. It may still run during an upgrade.
      const { rows } = await sql<{ index: number }>`
        select ordinality::integer - 1 as index
        from jsonb_array_elements(${JSON.stringify(operations)}::jsonb) with ordinality as job (operation, ordinality)
        where not exists (
            select 1 from engine_jobs where endpoint_id = ${endpointId} and engine_jobs.operation = job.operation
          ) and not exists (
            select 1 from leases join attempts on attempts.task_id = leases.task_id and attempts.attempt = leases.attempt
            where leases.endpoint_id = ${endpointId} and attempts.operation = job.operation
          )
      `.execute(db);
      const unnamed = new Set(rows.map(({ index }) => index));
      return operations.filter((_, index) => unnamed.has(index));
    },

    /**
     * Whether an unnamed job of the endpoint may be of another attempt: an open one, one with its lease, or one that
     * ended within the last hour, whose frozen process may submit late. A refused job certainly does not exist.
     */
    async mayBeOfAnother(
      { endpointId, taskId, attempt }: Pick<Attempt, 'endpointId' | 'taskId' | 'attempt'>,
      now: Date,
    ) {
      const { rows } = await sql`
        select 1 from attempts
        where endpoint_id = ${endpointId} and operation is null and outcome is distinct from 'refused'
          and (task_id, attempt) <> (${toUuid('task', taskId)}, ${attempt})
          and (ended_at is null or ended_at > ${now}::timestamptz - interval '1 hour' or exists (
            select 1 from leases where leases.task_id = attempts.task_id and leases.attempt = attempts.attempt
          ))
        limit 1
      `.execute(db);
      return rows.length > 0;
    },

    /** Returns whether an unnamed job of the endpoint may belong to another attempt that is open. */
    async mayBeOfOpenAttempt({ endpointId, taskId, attempt }: Pick<Attempt, 'endpointId' | 'taskId' | 'attempt'>) {
      const { rows } = await sql`
        select 1 from attempts
        where endpoint_id = ${endpointId} and operation is null and ended_at is null
          and (task_id, attempt) <> (${toUuid('task', taskId)}, ${attempt})
        limit 1
      `.execute(db);
      return rows.length > 0;
    },

    /** Locks an attempt, then its endpoint's leases, as all others do. False if it ended or others hold it. */
    async lock(attempt: Attempt): Promise<boolean> {
      const held = await db
        .selectFrom('attempts')
        .select('attempt')
        .where('task_id', '=', toUuid('task', attempt.taskId))
        .where('attempt', '=', attempt.attempt)
        .where('fencing', '=', attempt.fencing)
        .where('ended_at', 'is', null)
        .forUpdate()
        .executeTakeFirst();
      if (!held) return false;
      await db
        .selectFrom('leases')
        .select('slot')
        .where('endpoint_id', '=', attempt.endpointId)
        .orderBy('slot')
        .forUpdate()
        .execute();
      return true;
    },
  };
}
