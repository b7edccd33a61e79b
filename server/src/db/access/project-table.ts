import type { Kysely, Selectable } from 'kysely';
import { newProjectId } from '../../domain/id.ts';
import type { Shard } from '../../domain/shard.ts';
import { anyOf, projectId, toUuid } from '../connection/ids.ts';
import type { ProjectRow, Schema } from '../connection/schema.ts';

export interface Project {
  id: string;
  name: string;
  isSuspended: boolean;
  runningLimit: number;
  waitingLimit: number;
  createsPerMinute: number;
  readsPerMinute: number;
  /** The limits on stored bytes and on uploaded files apply to each mode. */
  storageLimitBytes: number;
  filesLimit: number;
  weight: number;
}

export type ProjectSettings = Partial<
  Pick<
    Project,
    | 'name'
    | 'runningLimit'
    | 'waitingLimit'
    | 'createsPerMinute'
    | 'readsPerMinute'
    | 'storageLimitBytes'
    | 'filesLimit'
    | 'weight'
    | 'isSuspended'
  >
>;

export function projectTable(db: Kysely<Schema>) {
  return {
    /** Inserts a project with its two rows of slots, one per mode. */
    async insert(name: string, at: Date, shard: Shard | null = null): Promise<Project> {
      const row = await db
        .insertInto('projects')
        .values({ id: toUuid('proj', newProjectId(at, shard)), name, created_at: at, suspended_at: null })
        .returningAll()
        .executeTakeFirstOrThrow();
      await db
        .insertInto('project_slots')
        .values([true, false].map((livemode) => ({ project_id: row.id, livemode, cap: row.running_limit })))
        .execute();
      return toProject(row);
    },

    async find(id: string): Promise<Project | null> {
      const row = await db.selectFrom('projects').selectAll().where('id', '=', toUuid('proj', id)).executeTakeFirst();
      return row ? toProject(row) : null;
    },

    async list(): Promise<Project[]> {
      const rows = await db.selectFrom('projects').selectAll().orderBy('id').limit(1000).execute();
      return rows.map(toProject);
    },

    /** Returns which of these projects are suspended. */
    async suspended(ids: readonly string[]): Promise<Set<string>> {
      const rows = await db
        .selectFrom('projects')
        .select('id')
        .where('id', '=', anyOf(ids.map((id) => toUuid('proj', id))))
        .where('suspended_at', 'is not', null)
        .execute();
      return new Set(rows.map((row) => projectId(row.id)));
    },

    /** Changes settings; the cap in project_slots follows, and a suspended project counts as cap 0. */
    async set(id: string, settings: ProjectSettings, at: Date): Promise<Project | null> {
      const { name, isSuspended, runningLimit, waitingLimit, createsPerMinute, readsPerMinute, weight } = settings;
      const { storageLimitBytes, filesLimit } = settings;
      const row = await db
        .updateTable('projects')
        .set((current) => ({
          name: name ?? current.ref('name'),
          ...(runningLimit === undefined ? {} : { running_limit: runningLimit }),
          ...(waitingLimit === undefined ? {} : { waiting_limit: waitingLimit }),
          ...(createsPerMinute === undefined ? {} : { creates_per_minute: createsPerMinute }),
          ...(readsPerMinute === undefined ? {} : { reads_per_minute: readsPerMinute }),
          ...(storageLimitBytes === undefined ? {} : { storage_limit_bytes: storageLimitBytes }),
          ...(filesLimit === undefined ? {} : { files_limit: filesLimit }),
          ...(weight === undefined ? {} : { weight }),
          ...(isSuspended === undefined ? {} : { suspended_at: isSuspended ? at : null }),
        }))
        .where('id', '=', toUuid('proj', id))
        .returningAll()
        .executeTakeFirst();
      if (!row) return null;
      await db
        .updateTable('project_slots')
        .set({ cap: row.suspended_at === null ? row.running_limit : 0 })
        .where('project_id', '=', row.id)
        .execute();
      return toProject(row);
    },
  };
}

export function toProject(row: Selectable<ProjectRow>): Project {
  return {
    id: projectId(row.id),
    name: row.name,
    isSuspended: row.suspended_at !== null,
    runningLimit: row.running_limit,
    waitingLimit: row.waiting_limit,
    createsPerMinute: row.creates_per_minute,
    readsPerMinute: row.reads_per_minute,
    storageLimitBytes: Number(row.storage_limit_bytes),
    filesLimit: row.files_limit,
    weight: row.weight,
  };
}
