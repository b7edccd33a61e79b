import type { AuditFilter } from '../../db/audit-log.ts';
import type { Database } from '../../db/database.ts';
import type { AuditEvent } from '../../domain/audit-event.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { AppError } from '../../errors.ts';

export interface AuditQuery {
  after: string | null;
  limit: number;
  order: 'asc' | 'desc';
  filter: AuditFilter;
}

/** Returns one page of the events of the caller's project and mode. */
export async function listAuditEvents(
  { db }: { db: Pick<Database, 'auditLog'> },
  owner: ProjectMode,
  query: AuditQuery,
): Promise<{ events: AuditEvent[]; hasMore: boolean }> {
  const { after, limit } = query;
  if (after !== null && uuidFromId('aud', after) === null) throw badCursor();
  // One row beyond the limit shows whether there are more.
  const events = await db.auditLog.page(owner, { ...query, limit: limit + 1 });
  return { events: events.slice(0, limit), hasMore: events.length > limit };
}

function badCursor(): AppError {
  const message = 'after must be the id of an audit event; take last_id of the page before';
  return new AppError('invalid_parameter', {
    message,
    param: 'after',
    details: [{ param: 'after', code: 'not_found', message }],
  });
}
