import { defineTool } from '../define-tool.ts';
import { inputSchema } from '../input-schema.ts';
import { taskOutput, taskResult } from '../task-result.ts';
import { type TaskId, taskIdField } from './task-id-field.ts';

/** Cancels a task that has not ended. */
export const cancelVideo = defineTool<TaskId>({
  name: 'cancel_video',
  title: 'Cancel a video',
  description:
    'Ends a task that is queued or in progress, for good: there will be no video. Cancelling again changes nothing; a task that ' +
    'has already completed or failed cannot be cancelled.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  inputSchema: inputSchema<TaskId>({ task_id: taskIdField }, ['task_id']),
  outputSchema: taskOutput,
  run: async (kinora, { task_id: taskId }, { signal }) =>
    taskResult(kinora, await kinora.videos.cancel(taskId), signal),
});
