import type { Tables } from '../../db/database.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { relayDelayMilliseconds, type WorkflowStart } from './workflow-client.ts';

/** How many more tasks than there is room for are considered, because others may have locked some of them. */
const spareTasks = 8;

/**
 * Admits tasks from the head of a project's queue while there is room. Accepting, ending and reconciling tasks all use
 * this one step, so that a new task never overtakes an older one and a lowered cap drains by itself.
 */
export async function admitTasks(tables: Tables, project: ProjectMode, at: Date): Promise<WorkflowStart[]> {
  const { room, weight } = await tables.projectSlots.lockRoom(project);
  if (room === 0) return [];
  const head = await tables.openTasks.head(project, room + spareTasks);
  if (head.length === 0) return [];
  const admitted = await tables.tasks.admit(head, room, at);
  if (admitted.length === 0) return [];
  await tables.projectSlots.countAdmitted(
    project,
    admitted.map(({ pool }) => pool),
  );
  return tables.outbox.add(
    admitted.map(({ taskId, pool }) => ({
      kind: 'start',
      taskId,
      projectId: project.projectId,
      pool,
      weight,
      enter: 'generate',
    })),
    at,
    new Date(at.getTime() + relayDelayMilliseconds),
  );
}
