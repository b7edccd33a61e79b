import type { WorkflowParts } from '../operations/queue/workflow-parts.ts';
import type { Log } from '../telemetry/log.ts';
import { failAndLog } from './fail-and-log.ts';

interface Dependencies extends WorkflowParts {
  log: Log;
}

export type EndActivities = ReturnType<typeof giveUpActivities>;

export function giveUpActivities(dependencies: Dependencies) {
  return {
    /** Fails a task that `finish` could not finish in all of its tries; a task that has ended stays as it is. */
    async giveUp({ taskId }: { taskId: string }): Promise<void> {
      const task = await dependencies.db.tasks.find(taskId);
      if (!task) return;
      const isFinishing = task.status === 'in_progress' && task.stage === 'finishing';
      await failAndLog(dependencies, taskId, {
        code: isFinishing ? 'storage_failed' : 'internal_error',
        stage: isFinishing ? 'finishing' : 'rendering',
      });
    },
  };
}
