import type { Project, ProjectSettings } from '../../db/access/project-table.ts';
import type { Operator } from '../../domain/actor.ts';
import type { AuditAction, AuditDetail } from '../../domain/audit-event.ts';
import { AppError } from '../../errors.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';
import { admitTasks } from '../queue/admit-tasks.ts';
import type { WorkflowParts } from '../queue/workflow-parts.ts';
import { cancelTask } from '../tasks/cancel-task.ts';

/** Changes a project's settings. A raised cap admits waiting tasks at once; a lowered one applies as tasks end. */
export async function setProject(
  { db, workflows, clock }: WorkflowParts,
  operator: Operator,
  projectId: string,
  settings: ProjectSettings,
): Promise<Project | null> {
  const now = clock.now();
  const result = await db.transaction(async (tables) => {
    const project = await tables.projects.set(projectId, settings, now);
    if (!project) return null;
    const event = { action: actionOf(settings), objectId: projectId, of: { projectId }, detail: detailOf(settings) };
    await recordAuditEvent(tables, operator, event, now);
    const starts = [
      ...(await admitTasks(tables, { projectId, livemode: true }, now)),
      ...(await admitTasks(tables, { projectId, livemode: false }, now)),
    ];
    return { project, starts };
  });
  workflows.startSoon(result?.starts ?? []);
  return result?.project ?? null;
}

/** Returns the new values under the names that the API uses, such as `running_limit`. */
function detailOf(settings: ProjectSettings): AuditDetail {
  const publicName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [publicName(name), value]));
}

function actionOf({ isSuspended }: ProjectSettings): AuditAction {
  if (isSuspended === undefined) return 'project.changed';
  return isSuspended ? 'project.suspended' : 'project.resumed';
}

/** Cancels all waiting and running tasks of a project, page by page. Returns how many it cancelled. */
export async function cancelProjectTasks(
  dependencies: WorkflowParts,
  operator: Operator,
  projectId: string,
): Promise<number> {
  const pageSize = 500;
  let cancelled = 0;
  for (;;) {
    // Cancelled tasks are no longer active, so the next query returns other tasks.
    const page = await dependencies.db.openTasks.activeOf(projectId, pageSize);
    for (const taskId of page) {
      // A task that ends by itself at this moment need not be cancelled.
      await cancelTask(dependencies, taskId, operator).then(
        () => (cancelled += 1),
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error;
        },
      );
    }
    if (page.length < pageSize) return cancelled;
  }
}
