import type { Database } from '../../db/database.ts';
import type { AuditPage } from '../../db/records/audit-log-table.ts';
import type { AuditEvent } from '../../domain/audit-event.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { badCursor } from '../bad-cursor.ts';

interface Listed {
  events: AuditEvent[];
  hasMore: boolean;
}

/** Returns one page of the events of the caller's project and mode. */
export async function listAuditEvents(
  { db }: { db: Pick<Database, 'auditLog'> },
  owner: ProjectMode,
  query: AuditPage,
): Promise<Listed> {
  return cut(query, (page) => db.auditLog.page(owner, page));
}

/** Returns one page of the events of a project, or of all projects and people, as operators see them. */
export async function listAllAuditEvents(
  { db }: { db: Pick<Database, 'auditLog'> },
  projectId: string | null,
  query: AuditPage,
): Promise<Listed> {
  if (projectId !== null && uuidFromId('proj', projectId) === null) return { events: [], hasMore: false };
  return cut(query, (page) => db.auditLog.pageOfAll(projectId, page));
}

async function cut(query: AuditPage, read: (page: AuditPage) => Promise<AuditEvent[]>): Promise<Listed> {
  const { after, limit } = query;
  if (after !== null && uuidFromId('aud', after) === null) throw badCursor('an audit event');
  // One row beyond the limit shows whether there are more.
  const events = await read({ ...query, limit: limit + 1 });
  return { events: events.slice(0, limit), hasMore: events.length > limit };
}
