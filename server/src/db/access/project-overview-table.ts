import { type Kysely, sql } from 'kysely';
import { keyId, toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';
import { type Project, toProject } from './project-table.ts';

/** A number in each mode. */
interface PerMode {
  live: number;
  test: number;
}

/** A project as operators see it. */
export interface ProjectOverview extends Project {
  createdAt: Date;
  suspendedAt: Date | null;
  running: PerMode;
  waiting: PerMode;
  /** In both modes. */
  storedBytes: number;
  members: number;
}

/** What may have created a task: a key, or a person in the console. */
export interface ProjectCaller {
  keyId: string;
  name: string;
  isPerson: boolean;
  livemode: boolean;
  lastFour: string;
}

/** Reads about projects for the pages of the console. */
export function projectOverviewTable(db: Kysely<Schema>) {
  return {
    /** Returns all projects, or one of them, oldest first. */
    async list(only?: string): Promise<ProjectOverview[]> {
      const inMode = (column: string, livemode: boolean) =>
        sql<number>`coalesce(sum(${sql.ref(`project_slots.${column}`)}) filter (where livemode = ${livemode}), 0)::int`;
      let query = db
        .selectFrom('projects')
        .leftJoin('project_slots', 'project_slots.project_id', 'projects.id')
        .selectAll('projects')
        .select([
          inMode('running', true).as('live_running'),
          inMode('running', false).as('test_running'),
          inMode('waiting', true).as('live_waiting'),
          inMode('waiting', false).as('test_waiting'),
          sql<string>`coalesce(sum(project_slots.stored_bytes), 0)`.as('stored_bytes'),
          sql<number>`(select count(*)::int from project_members where project_members.project_id = projects.id)`.as(
            'members',
          ),
        ])
        .groupBy('projects.id')
        .orderBy('projects.id')
        .limit(1000);
      if (only !== undefined) query = query.where('projects.id', '=', toUuid('proj', only));
      return (await query.execute()).map((row) => ({
        ...toProject(row),
        createdAt: row.created_at,
        suspendedAt: row.suspended_at,
        running: { live: row.live_running, test: row.test_running },
        waiting: { live: row.live_waiting, test: row.test_waiting },
        storedBytes: Number(row.stored_bytes),
        members: row.members,
      }));
    },

    /** Returns the newest keys and people of a project, in both modes. */
    async callersOf(project: string, limit: number): Promise<ProjectCaller[]> {
      const rows = await db
        .selectFrom('api_keys')
        .leftJoin('people', 'people.id', 'api_keys.person_id')
        .select(['api_keys.id', 'api_keys.name', 'people.name as person_name', 'livemode', 'last_four', 'person_id'])
        .where('project_id', '=', toUuid('proj', project))
        .orderBy('api_keys.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        keyId: keyId(row.id),
        name: row.person_name ?? row.name,
        isPerson: row.person_id !== null,
        livemode: row.livemode,
        lastFour: row.last_four,
      }));
    },
  };
}
