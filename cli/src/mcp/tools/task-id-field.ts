/** The task that a tool is about. */
export interface TaskId {
  task_id: string;
}

/** The same as a field of a tool's input. */
export const taskIdField = {
  type: 'string',
  minLength: 1,
  description: 'The task_id from generate_video or list_videos, such as task_01k9zqv3x4e8rb6t7y2m5n0p1q.',
};
