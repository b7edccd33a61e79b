import { defineTool } from '../define-tool.ts';
import { inputSchema } from '../input-schema.ts';
import { taskOutput, taskResult } from '../task-result.ts';
import { type TaskId, taskIdField } from './task-id-field.ts';

/** Returns the current state of a task. */
export const getVideo = defineTool<TaskId>({
  name: 'get_video',
  title: 'Look at a video',
  description:
    'How a task is right now, without waiting. For a finished one a new link to the video, valid for an hour, and the thumbnail.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  inputSchema: inputSchema<TaskId>({ task_id: taskIdField }, ['task_id']),
  outputSchema: taskOutput,
  run: async (kinora, { task_id: taskId }, { signal }) =>
    taskResult(kinora, await kinora.videos.get(taskId, { signal }), signal),
});
