import { taskIdOf } from '@kinora/stack/harness/task-id';
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { pause, type World } from './world.ts';

const findSeconds = 40;

/** Ends the workflow of a task in this stage behind the service's back. False when no task was found there in time. */
export async function terminateWorkflow(world: World, stage: 'rendering' | 'finishing'): Promise<boolean> {
  const { stack, rows, history } = world;
  const connection = await Connection.connect({ address: stack.info.temporalAddress, connectTimeout: '5s' });
  try {
    const { workflow } = new Client({ connection, namespace: stack.info.temporalNamespace });
    const deadline = Date.now() + findSeconds * 1000;
    while (Date.now() < deadline) {
      const found = await rows.query<{ id: string }>(
        // The reconciler gives a task up whose workflow vanishes a third time, so each is hit once.
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
                if (error instanceof WorkflowNotFoundError) return false; // it has just completed
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
  } finally {
    await connection.close();
  }
}
