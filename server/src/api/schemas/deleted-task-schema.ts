import { type Static, Type } from 'typebox';

export const deletedTaskSchema = Type.Object(
  {
    id: Type.String({ description: 'The task_id of what was deleted.' }),
    object: Type.Literal('video.deleted'),
    deleted: Type.Literal(true),
  },
  {
    $id: 'DeletedTask',
    description: 'Word that a task is deleted.',
    examples: [{ id: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q', object: 'video.deleted', deleted: true }],
  },
);

export type PublicDeletedTask = Static<typeof deletedTaskSchema>;
