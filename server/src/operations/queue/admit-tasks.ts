import type { Tables } from '../../db/database.ts';
import type { Room } from '../../db/project-slots.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { relayDelayMilliseconds, type WorkflowStart } from './workflow-client.ts';

/** How many more tasks than there is room for are considered, because others may have locked some of them. */
const spareTasks = 8;

/**
 * Admits tasks from the head of a project's queue while there is room. Accepting, ending and reconciling tasks all use
 * this one step, so that a new task never overtakes an older one and a lowered cap drains by itself. Only a task whose
 * pool has had no accepting endpoint for 60 s is passed over: it could not run, and would keep others from running.
 */
export async function admitTasks(tables: Tables, project: ProjectMode, at: Date): Promise<WorkflowStart[]> {
  return admitInto(await tables.projectSlots.lockRoom(project), tables, project, at);
}

/** Admits tasks like `admitTasks`, into room that this transaction has read from the project's locked row. */
export async function admitInto(room: Room, tables: Tables, project: ProjectMode, at: Date): Promise<WorkflowStart[]> {
  if (room.tasks === 0 || room.waiting === 0) return [];
  const head = await tables.openTasks.head(project, room.tasks + spareTasks, at);
  if (head.length === 0) return [];
  return tables.admissions.admit({
    projectId: project.projectId,
    livemode: project.livemode,
    head,
    limit: room.tasks,
    weight: room.weight,
    at,
    dueAt: new Date(at.getTime() + relayDelayMilliseconds),
  });
}
