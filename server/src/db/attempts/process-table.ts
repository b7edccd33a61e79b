import { type Kysely, type Selectable, sql } from 'kysely';
import type { TimerRun } from '../../domain/process-signs.ts';
import type { ProcessRow, Schema } from '../connection/schema.ts';

/** What a process reports of itself. */
export interface ProcessReport {
  id: string;
  roles: readonly string[];
  version: string;
  host: string;
  /** How far its own clock is ahead of Postgres's; null if it does not know. */
  aheadMilliseconds: number | null;
  /** How many endpoints it owns. */
  ownedEndpoints: number;
  /** The timers of a relay that holds the lock; empty for all other processes. */
  timers: readonly TimerRun[];
  /** Tells models files apart. */
  fingerprint: string;
  models: readonly string[];
  endpoints: readonly string[];
}

export interface ReportedProcess
  extends Pick<ProcessReport, 'id' | 'roles' | 'version' | 'host' | 'aheadMilliseconds' | 'ownedEndpoints' | 'timers'> {
  startedAt: Date;
  silentSeconds: number;
}

/** Whether a process has reported within the last minute, so that what it knew then still counts. All times are Postgres's. */
export const isRecent = sql<boolean>`seen_at > now() - interval '1 minute'`;

/** The processes of the service, as they report themselves. */
export function processTable(db: Kysely<Schema>) {
  return {
    /** Stores the report of a process, and deletes those of processes that have been silent for 10 minutes. */
    async report({ id, ...report }: ProcessReport): Promise<void> {
      const reported = {
        roles: [...report.roles],
        version: report.version,
        host: report.host,
        seen_at: sql<Date>`now()`,
        ahead_milliseconds: report.aheadMilliseconds && Math.round(report.aheadMilliseconds),
        owned_endpoints: report.ownedEndpoints,
        timers: JSON.stringify(report.timers),
        fingerprint: report.fingerprint,
        models: [...report.models],
        endpoints: [...report.endpoints],
      };
      await db
        .insertInto('processes')
        .values({ id, ...reported })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(reported))
        .execute();
      await sql`delete from processes where seen_at < now() - interval '10 minutes'`.execute(db);
    },

    /** Records a sign of life. Returns whether the process is known. */
    async sign(id: string): Promise<boolean> {
      const result = await db
        .updateTable('processes')
        .set({ seen_at: sql<Date>`now()` })
        .where('id', '=', id)
        .execute();
      return result.some(({ numUpdatedRows }) => numUpdatedRows > 0n);
    },

    /** Returns the workers whose last sign of life is `from` to `to` seconds old. */
    async silentWorkers({ from, to }: { from: number; to: number }): Promise<string[]> {
      const rows = await db
        .selectFrom('processes')
        .select('id')
        .where(sql<boolean>`'worker' = any(roles)`)
        .where('seen_at', '<=', sql<Date>`now() - make_interval(secs => ${from})`)
        .where('seen_at', '>', sql<Date>`now() - make_interval(secs => ${to})`)
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Forgets a process that ends in good order. */
    async remove(id: string): Promise<void> {
      await db.deleteFrom('processes').where('id', '=', id).execute();
    },

    /** Lists the processes that have reported within the last 10 minutes, the oldest first. */
    async list(): Promise<ReportedProcess[]> {
      const rows = await db
        .selectFrom('processes')
        .selectAll()
        .select(sql<number>`extract(epoch from now() - seen_at)::float8`.as('silent_seconds'))
        .orderBy('started_at')
        .orderBy('id')
        .execute();
      return rows.map(toProcess);
    },

    /** Returns the fingerprints of the models files that processes have now: one if they agree. */
    async fingerprints(): Promise<string[]> {
      const rows = await db.selectFrom('processes').select('fingerprint').distinct().where(isRecent).execute();
      return rows.map(({ fingerprint }) => fingerprint);
    },

    /** Returns whether the models file of any process has a model, or had it within the last minute. */
    async haveModel(model: string): Promise<boolean> {
      return exists(sql<boolean>`${model} = any(models)`);
    },

    /** Returns whether the models file of any process has an endpoint, or had it within the last minute. */
    async haveEndpoint(endpointId: string): Promise<boolean> {
      return exists(sql<boolean>`${endpointId} = any(endpoints)`);
    },
  };

  async function exists(condition: ReturnType<typeof sql<boolean>>): Promise<boolean> {
    const row = await db.selectFrom('processes').select('id').where(isRecent).where(condition).executeTakeFirst();
    return row !== undefined;
  }
}

function toProcess(row: Selectable<ProcessRow> & { silent_seconds: number }): ReportedProcess {
  return {
    id: row.id,
    roles: row.roles,
    version: row.version,
    host: row.host,
    aheadMilliseconds: row.ahead_milliseconds,
    ownedEndpoints: row.owned_endpoints,
    timers: row.timers,
    startedAt: row.started_at,
    silentSeconds: row.silent_seconds,
  };
}
