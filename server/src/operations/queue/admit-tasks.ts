import type { Tables } from '../../db/database.ts';
import type { Room } from '../../db/queue/project-slot-table.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { relayDelayMilliseconds, type WorkflowStart } from './workflow-client.ts';

/**
 * Admits tasks from the head of a project's queue while there is room. Ending and reconciling tasks use this one step, and
 * so does accepting a task if older ones wait, so that a new task never overtakes an older one and a lowered cap drains by
 * itself. Only a task whose pool has had no accepting endpoint for 60 s is passed over: it could not run, and would keep
 * others from running.
 */
export async function admitTasks(tables: Tables, project: ProjectMode, at: Date): Promise<WorkflowStart[]> {
  return tables.admissions.admit(project, at, relayDelayMilliseconds);
}

/**
 * Admits tasks like `admitTasks`, if this transaction has read from the project's locked row that there is room for a
 * task that waits.
 */
export async function admitInto(room: Room, tables: Tables, project: ProjectMode, at: Date): Promise<WorkflowStart[]> {
  return room.tasks === 0 || room.waiting === 0 ? [] : admitTasks(tables, project, at);
}
