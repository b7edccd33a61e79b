import type { ApiClient, Task } from './api-client.ts';
import { eventually } from './eventually.ts';

/** Creates a task and waits until it is final. */
export async function runToEnd(client: ApiClient, fields: Record<string, unknown>): Promise<Task> {
  const { task_id: id } = await client.create(fields);
  return (await client.follow(id)).end;
}

/** Waits until the engine renders a task. */
export const untilRendering = (client: ApiClient, taskId: string): Promise<Task> =>
  eventually(`${taskId} renders`, async () => {
    const task = await client.read(taskId);
    if (task.is_final) throw new Error(`${taskId} was ${task.status} before any read showed it rendering`);
    return task.stage === 'rendering' && task;
  });
