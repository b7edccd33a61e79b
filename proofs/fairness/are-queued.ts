import { eventually } from '@kinora/stack/harness/eventually';
import { withWorkflows } from '../with-workflows.ts';
import type { Parts } from './parts.ts';

/** Waits until the pool's queue has each of these tasks: until then no fair order can choose them. */
export async function areQueued({ stack }: Parts, taskIds: readonly string[]): Promise<void> {
  await withWorkflows(stack, async (workflow) => {
    for (const taskId of taskIds) {
      const pending = (): Promise<number> =>
        workflow
          .getHandle(taskId)
          .describe()
          .then(
            ({ raw }) => raw.pendingActivities?.length ?? 0,
            () => 0, // The workflow has not been started yet.
          );
      await eventually(`${taskId} is queued`, async () => (await pending()) > 0);
    }
  });
}
