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
  if (room.tasks === 0) return [];
  const head = await tables.openTasks.head(project, room.tasks + spareTasks, at);
  if (head.length === 0) return [];
  const admitted = await tables.tasks.admit(
    head.map(({ taskId }) => taskId),
    room.tasks,
    at,
  );
  if (admitted.length === 0) return [];
  await tables.projectSlots.countAdmitted(
    project,
    admitted.map(({ pool }) => pool),
  );
  // A task that was given back may have had a workflow that ended because of it.
  const givenBack = new Set(head.filter(({ wasGivenBack }) => wasGivenBack).map(({ taskId }) => taskId));
  return tables.outbox.add(
    admitted.map(({ taskId, pool }) => ({
      kind: 'start',
      taskId,
      projectId: project.projectId,
      pool,
      weight: room.weight,
      enter: 'generate',
      afterCompletion: givenBack.has(taskId),
    })),
    at,
    new Date(at.getTime() + relayDelayMilliseconds),
  );
}
