import type { Tables } from '../../db/database.ts';
import type { Room } from '../../db/queue/project-slot-table.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { relayDelayMilliseconds, type WorkflowStart } from './workflow-client.ts';

/**
 * Admits tasks from the head of a project's queue while there is room. Ends, reconciling and accepts behind older tasks
 * all use it, so a new task never overtakes and a lowered cap drains. It passes over only tasks whose pool has had no
 * accepting endpoint for 60 s.
 */
export async function admitTasks(tables: Tables, project: ProjectMode, at: Date): Promise<WorkflowStart[]> {
  return tables.admissions.admit(project, at, relayDelayMilliseconds);
}

/** Admits tasks if this transaction has read from the project's locked row that there is room for a waiting one. */
export async function admitInto(room: Room, tables: Tables, project: ProjectMode, at: Date): Promise<WorkflowStart[]> {
  return room.tasks === 0 || room.waiting === 0 ? [] : admitTasks(tables, project, at);
}
