import type { Installation } from '@kinora/stack/harness/installation';
import { waitFor } from '@kinora/stack/harness/wait-for';

export interface TaskShape {
  resolution: string;
  aspect_ratio: string;
  duration: number;
}

/** Posts a task and answers its id. */
export async function createTask({ url, testKey }: Installation, shape: TaskShape): Promise<string> {
  const response = await fetch(`${url}/v1/videos/text-to-video`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ prompt: 'A hill at dusk', ...shape }),
  });
  const task = (await response.json()) as { task_id?: string }; // the contract's task object
  if (task.task_id === undefined)
    throw new Error(`the task was answered with ${response.status}: ${JSON.stringify(task)}`);
  return task.task_id;
}

/** Waits until the task has completed; any other end is an error. */
export async function waitForEnd({ url, testKey }: Installation, taskId: string): Promise<void> {
  const headers = { authorization: `Bearer ${testKey}` };
  await waitFor(async () => {
    const response = await fetch(`${url}/v1/videos/${taskId}`, { headers });
    const { status, is_final: isFinal } = (await response.json()) as { status?: string; is_final?: boolean };
    if (isFinal && status !== 'completed') throw new Error(`${taskId} is ${status}`);
    return isFinal === true;
  });
}
