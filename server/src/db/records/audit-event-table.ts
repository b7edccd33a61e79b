import { type Kysely, sql } from 'kysely';
import type { AuditEvent } from '../../domain/audit-event.ts';
import { lowestUuidAt } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { toUuid } from '../connection/ids.ts';
import type { Schema } from '../connection/schema.ts';

/** Appends to the audit log. A trigger refuses changes, and deletions of anything younger than 29 days. */
export function auditEventTable(db: Kysely<Schema>) {
  return {
    async insert(events: readonly AuditEvent[]): Promise<void> {
      if (events.length > 0) await db.insertInto('audit_events').values(events.map(toRow)).execute();
    },

    /** Inserts an event of a project, unless the same key did the same in the minute before. */
    async insertOncePerMinute(event: AuditEvent): Promise<void> {
      const row = toRow(event);
      const latest = await db
        .selectFrom('audit_events')
        .select('id')
        .where('project_id', '=', row.project_id)
        .where('id', '>=', lowestUuidAt(new Date(event.createdAt.getTime() - 60_000)))
        .where('action', '=', row.action)
        .where('key_id', '=', row.key_id)
        .limit(1)
        .executeTakeFirst();
      if (!latest) await db.insertInto('audit_events').values(row).execute();
    },

    /** Returns whether a file or a webhook endpoint of this owner was deleted, as long as the log says so. */
    async hasDeletion(
      owner: ProjectMode,
      action: 'file.deleted' | 'webhook_endpoint.deleted',
      objectId: string,
    ): Promise<boolean> {
      const event = await db
        .selectFrom('audit_events')
        .select('id')
        .where('object_id', '=', objectId)
        // As literals, so that the planner may use the partial index.
        .where(sql<boolean>`action in ('file.deleted', 'webhook_endpoint.deleted')`)
        .where('action', '=', action)
        .where('project_id', '=', toUuid('proj', owner.projectId))
        .where('livemode', '=', owner.livemode)
        .limit(1)
        .executeTakeFirst();
      return event !== undefined;
    },

    /** Deletes at most `limit` events that are older than a moment. Returns how many it deleted. */
    async deleteOlderThan(moment: Date, limit: number): Promise<number> {
      const old = db.selectFrom('audit_events').select('id').where('id', '<', lowestUuidAt(moment)).limit(limit);
      const { numDeletedRows } = await db.deleteFrom('audit_events').where('id', 'in', old).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

function toRow(event: AuditEvent) {
  return {
    id: toUuid('aud', event.id),
    created_at: event.createdAt,
    action: event.action,
    key_id: event.keyId && toUuid('key', event.keyId),
    operator: event.operator,
    command: event.command,
    object_id: event.objectId,
    project_id: event.projectId && toUuid('proj', event.projectId),
    livemode: event.livemode,
    address: event.address,
    user_agent: event.userAgent,
    request_id: event.requestId,
    detail: JSON.stringify(event.detail),
    person_id: event.personId && toUuid('person', event.personId),
  };
}
