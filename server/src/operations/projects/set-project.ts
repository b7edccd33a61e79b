import type { Database } from '../../db/database.ts';
import type { Project, ProjectSettings } from '../../db/projects.ts';
import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../errors.ts';
import { admitTasks } from '../queue/admit-tasks.ts';
import type { WorkflowClient } from '../queue/workflow-client.ts';
import { cancelTask } from '../tasks/cancel-task.ts';

interface Dependencies {
  db: Database;
  workflows: WorkflowClient;
  clock: Clock;
}

/** Changes a project's settings. A raised cap admits waiting tasks at once; a lowered one applies as tasks end. */
export async function setProject(
  { db, workflows, clock }: Dependencies,
  projectId: string,
  settings: ProjectSettings,
): Promise<Project | null> {
  const now = clock.now();
  const result = await db.transaction(async (tables) => {
    const project = await tables.projects.set(projectId, settings, now);
    if (!project) return null;
    const starts = [
      ...(await admitTasks(tables, { projectId, livemode: true }, now)),
      ...(await admitTasks(tables, { projectId, livemode: false }, now)),
    ];
    return { project, starts };
  });
  workflows.startSoon(result?.starts ?? []);
  return result?.project ?? null;
}

/** Cancels all waiting and running tasks of a project, page by page. Returns how many it cancelled. */
export async function cancelProjectTasks(dependencies: Dependencies, projectId: string): Promise<number> {
  const pageSize = 500;
  let cancelled = 0;
  for (;;) {
    // Cancelled tasks are no longer active, so the next query returns other tasks.
    const page = await dependencies.db.openTasks.activeOf(projectId, pageSize);
    for (const taskId of page) {
      // A task that ends by itself at this moment need not be cancelled.
      await cancelTask(dependencies, taskId).then(
        () => (cancelled += 1),
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error;
        },
      );
    }
    if (page.length < pageSize) return cancelled;
  }
}
