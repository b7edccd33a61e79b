/** The input of a tool that works on one task. */
export interface TaskId {
  task_id: string;
}

/** The JSON schema of `task_id`. */
export const taskIdField = {
  type: 'string',
  minLength: 1,
  description: 'The task_id from generate_video or list_videos, such as task_01k9zqv3x4e8rb6t7y2m5n0p1q.',
};
