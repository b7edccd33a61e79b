import type { Database } from '../../db/database.ts';
import type { AuditFilter } from '../../db/records/audit-log-table.ts';
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

interface AuditPage {
  events: AuditEvent[];
  hasMore: boolean;
}

/** Returns one page of the events of the caller's project and mode. */
export async function listAuditEvents(
  { db }: { db: Pick<Database, 'auditLog'> },
  owner: ProjectMode,
  query: AuditQuery,
): Promise<AuditPage> {
  return cut(query, (page) => db.auditLog.page(owner, page));
}

/** Returns one page of the events of a project, or of all projects and people, as operators see them. */
export async function listAllAuditEvents(
  { db }: { db: Pick<Database, 'auditLog'> },
  projectId: string | null,
  query: AuditQuery,
): Promise<AuditPage> {
  if (projectId !== null && uuidFromId('proj', projectId) === null) return { events: [], hasMore: false };
  return cut(query, (page) => db.auditLog.pageOfAll(projectId, page));
}

async function cut(query: AuditQuery, read: (page: AuditQuery) => Promise<AuditEvent[]>): Promise<AuditPage> {
  const { after, limit } = query;
  if (after !== null && uuidFromId('aud', after) === null) throw badCursor();
  // One row beyond the limit shows whether there are more.
  const events = await read({ ...query, limit: limit + 1 });
  return { events: events.slice(0, limit), hasMore: events.length > limit };
}

function badCursor(): AppError {
  const message = 'after must be the id of an audit event; use last_id of the previous page';
  return new AppError('invalid_parameter', {
    message,
    param: 'after',
    details: [{ param: 'after', code: 'not_found', message }],
  });
}
