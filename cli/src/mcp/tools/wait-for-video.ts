import { defineTool } from '../define-tool.ts';
import { inputSchema } from '../input-schema.ts';
import { taskOutput, videoResult } from '../task-result.ts';
import { defaultWaitSeconds, waitField, watchTask } from '../watch-task.ts';
import { type TaskId, taskIdField } from './task-id-field.ts';

type Input = TaskId & { wait_seconds?: number };

/** Waits for a video that an earlier call started. */
export const waitForVideo = defineTool<Input>({
  name: 'wait_for_video',
  title: 'Wait for a video',
  description:
    'Waits until a task has ended, and returns the link to its video and a thumbnail. If it takes longer, it returns the ' +
    'progress: then call it again. Cancelling the call stops only the waiting; the task continues.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  inputSchema: inputSchema<Input>({ task_id: taskIdField, wait_seconds: waitField }, ['task_id']),
  outputSchema: taskOutput,
  async run(kinora, { task_id: taskId, wait_seconds: waitSeconds = defaultWaitSeconds }, call) {
    const task = await kinora.videos.get(taskId, { signal: call.signal });
    return videoResult(kinora, await watchTask(kinora, task, waitSeconds, call), call.signal);
  },
});
