import { type Static, Type } from 'typebox';
import { deletedMark, objectKind } from '../../http/schema-parts.ts';

export const deletedTaskSchema = Type.Object(
  {
    id: Type.String({ description: 'The `task_id` of the deleted task.' }),
    object: objectKind('video.deleted'),
    deleted: deletedMark(),
  },
  {
    $id: 'DeletedTask',
    description: 'Confirmation that a task is deleted.',
    examples: [{ id: 'task_01k9zqv3x4e8rb6t7y2m5n0p1q', object: 'video.deleted', deleted: true }],
  },
);

export type PublicDeletedTask = Static<typeof deletedTaskSchema>;
