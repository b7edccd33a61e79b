import { type Kysely, type Selectable, sql } from 'kysely';
import type { AuditAction, AuditEvent } from '../../domain/audit-event.ts';
import { lowestUuidAt, uuidFromId } from '../../domain/id.ts';
import type { ListPage } from '../../domain/list-page.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { auditEventId, keyId, personId, projectId, toUuid } from '../connection/ids.ts';
import type { AuditEventRow, Schema } from '../connection/schema.ts';

interface AuditFilter {
  action?: AuditAction | undefined;
  /** The key of the request. A malformed id matches nothing. */
  keyId?: string | undefined;
  /** Inclusive. */
  createdAfter?: Date | undefined;
  /** Exclusive. */
  createdBefore?: Date | undefined;
}

export interface AuditPage extends ListPage {
  filter: AuditFilter;
}

/** What operators do to look into a project is not shown to the project: it may be suspected of abuse. */
const hiddenFromProjects: AuditAction = 'task.revealed';

/** Reads the audit log. A filter that matches nothing reads all events of a project, hence the connections of reports. */
export function auditLogTable(db: Kysely<Schema>) {
  return {
    /** Returns events of a project's mode, and those that concern both of its modes. */
    async page(owner: ProjectMode, page: AuditPage): Promise<AuditEvent[]> {
      const rows = await select(page, owner.projectId)
        .where((row) => row.or([row('livemode', '=', owner.livemode), row('livemode', 'is', null)]))
        .where('action', '!=', hiddenFromProjects)
        .execute();
      return rows.map(toEvent);
    },

    /** Returns events of a project, or of all of them, for operators. */
    async pageOfAll(project: string | null, page: AuditPage): Promise<AuditEvent[]> {
      return (await select(page, project).execute()).map(toEvent);
    },
  };

  function select({ filter, after, limit, order }: AuditPage, project: string | null) {
    const { action, createdAfter, createdBefore } = filter;
    const key = filter.keyId === undefined ? undefined : uuidFromId('key', filter.keyId);
    let query = db.selectFrom('audit_events').selectAll().orderBy('id', order).limit(limit);
    if (project !== null) {
      // As an array of one, so that the planner reads the index of the project instead of everybody's newest events.
      query = query
        .where('project_id', '=', sql<string>`any(array[${toUuid('proj', project)}::uuid])`)
        .clearOrderBy()
        .orderBy('project_id', order)
        .orderBy('id', order);
    }
    if (after !== null) query = query.where('id', order === 'asc' ? '>' : '<', toUuid('aud', after));
    if (action !== undefined) query = query.where('action', '=', action);
    if (key !== undefined) query = query.where('key_id', '=', key);
    if (key === null) query = query.where(sql<boolean>`false`);
    if (createdAfter !== undefined) query = query.where('id', '>=', lowestUuidAt(createdAfter));
    if (createdBefore !== undefined) query = query.where('id', '<', lowestUuidAt(createdBefore));
    return query;
  }
}

function toEvent(row: Selectable<AuditEventRow>): AuditEvent {
  return {
    id: auditEventId(row.id),
    createdAt: row.created_at,
    action: row.action,
    keyId: row.key_id && keyId(row.key_id),
    personId: row.person_id && personId(row.person_id),
    operator: row.operator,
    command: row.command,
    objectId: row.object_id,
    projectId: row.project_id && projectId(row.project_id),
    livemode: row.livemode,
    address: row.address,
    userAgent: row.user_agent,
    requestId: row.request_id,
    detail: row.detail,
  };
}
