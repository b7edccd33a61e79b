import { taskIdOf } from '@kinora/stack/harness/task-id';
import { WorkflowNotFoundError } from '@temporalio/client';
import { withWorkflows } from '../with-workflows.ts';
import { pause, type World } from './crash-world.ts';

const findSeconds = 40;

/** Terminates the workflow of a task in this stage, in Temporal itself. Returns false if there was none in time. */
export function terminateWorkflow(world: World, stage: 'rendering' | 'finishing'): Promise<boolean> {
  const { stack, rows, history } = world;
  return withWorkflows(stack, async (workflow, connection) => {
    const deadline = Date.now() + findSeconds * 1000;
    while (Date.now() < deadline) {
      const found = await rows.query<{ id: string }>(
        // The reconciler gives up on a task whose workflow vanishes a third time, so each task is hit only once.
        `select tasks.id from tasks left join live_entries on live_entries.task_id = tasks.id
         where status = 'in_progress' and restarts = 0
           and case when tasks.stage = 'finishing' then 'finishing' else live_entries.stage end = $1
         order by started_at desc limit 1`,
        [stage],
      );
      const taskId = found[0] && taskIdOf(found[0].id);
      if (taskId !== undefined && !history.terminations.some((termination) => termination.taskId === taskId)) {
        const at = Date.now();
        const isHit = await connection.withDeadline(at + 5_000, () =>
          workflow
            .getHandle(taskId)
            .terminate('the crash proof')
            .then(
              () => true,
              (error: unknown) => {
                if (error instanceof WorkflowNotFoundError) return false; // The workflow has just completed.
                throw error;
              },
            ),
        );
        if (isHit) {
          history.terminations.push({ taskId, stage, at });
          return true;
        }
      }
      await pause(world, 0.05);
    }
    return false;
  });
}
