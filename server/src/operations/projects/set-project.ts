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

/** Changes a project's settings. A raised cap lets waiting tasks run at once; a lowered one drains by itself. */
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

/** Cancels everything of a project that waits or runs, page by page; answers how many it ended. */
export async function cancelProjectTasks(dependencies: Dependencies, projectId: string): Promise<number> {
  const pageSize = 500;
  let cancelled = 0;
  for (;;) {
    // What was cancelled is no longer active, so the next page is another one.
    const page = await dependencies.db.tasks.activeOf(projectId, pageSize);
    for (const taskId of page) {
      // A task that ends by itself in this moment is as good as cancelled.
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
