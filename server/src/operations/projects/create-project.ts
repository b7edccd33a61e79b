import type { Project } from '../../db/access/project-table.ts';
import type { Database } from '../../db/database.ts';
import type { Operator } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';

/** Creates a project with the default limits. */
export async function createProject(
  { db, clock }: { db: Database; clock: Clock },
  operator: Operator,
  name: string,
): Promise<Project> {
  const now = clock.now();
  return db.transaction(async (tables) => {
    const project = await tables.projects.insert(name, now);
    const event = { action: 'project.created', objectId: project.id, of: { projectId: project.id } } as const;
    await recordAuditEvent(tables, operator, event, now);
    return project;
  });
}
