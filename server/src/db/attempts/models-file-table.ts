import { type Kysely, sql } from 'kysely';
import type { Schema } from '../connection/schema.ts';

/** What a process reports of its models file. */
export interface ModelsFileReport {
  processId: string;
  /** Differs if the files differ. */
  fingerprint: string;
  models: readonly string[];
  endpoints: readonly string[];
}

/** A process reports every 20 s, so one that has not reported for a minute is gone. All times are of Postgres's clock. */
const isRecent = sql<boolean>`seen_at > now() - interval '1 minute'`;

/** The models files of the running processes. */
export function modelsFileTable(db: Kysely<Schema>) {
  return {
    /** Stores the report of a process, and deletes the reports of processes that are gone. */
    async report({ processId, fingerprint, models, endpoints }: ModelsFileReport): Promise<void> {
      const reported = { fingerprint, models: [...models], endpoints: [...endpoints], seen_at: sql<Date>`now()` };
      await db
        .insertInto('models_files')
        .values({ process_id: processId, ...reported })
        .onConflict((conflict) => conflict.column('process_id').doUpdateSet(reported))
        .execute();
      await sql`delete from models_files where seen_at < now() - interval '1 hour'`.execute(db);
    },

    /** Returns the fingerprints of the files that processes have now: one if they agree. */
    async fingerprints(): Promise<string[]> {
      const rows = await db.selectFrom('models_files').select('fingerprint').distinct().where(isRecent).execute();
      return rows.map(({ fingerprint }) => fingerprint);
    },

    /** Returns how many processes run. */
    async countProcesses(): Promise<number> {
      const { count } = await db
        .selectFrom('models_files')
        .select((expression) => expression.fn.countAll<string>().as('count'))
        .where(isRecent)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    /** Returns whether the file of any process has a model, or had it within the last minute. */
    async haveModel(model: string): Promise<boolean> {
      return exists(sql<boolean>`${model} = any(models)`);
    },

    /** Returns whether the file of any process has an endpoint, or had it within the last minute. */
    async haveEndpoint(endpointId: string): Promise<boolean> {
      return exists(sql<boolean>`${endpointId} = any(endpoints)`);
    },
  };

  async function exists(condition: ReturnType<typeof sql<boolean>>): Promise<boolean> {
    const row = await db
      .selectFrom('models_files')
      .select('process_id')
      .where(isRecent)
      .where(condition)
      .executeTakeFirst();
    return row !== undefined;
  }
}
