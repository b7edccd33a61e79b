import type { Project } from '../../db/access/project-table.ts';
import type { Database } from '../../db/database.ts';
import type { Operator } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Shard } from '../../domain/shard.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';

/** Creates a project with the default limits, in this shard, or in any. */
export async function createProject(
  { db, clock }: { db: Database; clock: Clock },
  operator: Operator,
  name: string,
  shard: Shard | null = null,
): Promise<Project> {
  const now = clock.now();
  return db.transaction(async (tables) => {
    const project = await tables.projects.insert(name, now, shard);
    const event = { action: 'project.created', objectId: project.id, of: { projectId: project.id } } as const;
    await recordAuditEvent(tables, operator, event, now);
    return project;
  });
}
