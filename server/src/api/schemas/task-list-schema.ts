import { type Static, Type } from 'typebox';
import { aspectRatios, resolutions } from '../../domain/generation-request.ts';
import { listOf, pageParameters } from '../../http/list-schema.ts';
import { momentParameter } from '../../http/schema-parts.ts';
import { exampleTask } from './example-task.ts';
import { metadataField } from './generation-request-schema.ts';
import { taskSchema } from './task-schema.ts';

export const taskListQuery = Type.Object({
  ...pageParameters,
  after: Type.Optional(
    Type.String({
      description:
        'Return the tasks after this id: the `last_id` of the previous page. It must be a task of this project.',
    }),
  ),
  status: Type.Optional(
    Type.Array(Type.Enum(['queued', 'in_progress', 'completed', 'failed', 'cancelled'], { type: 'string' }), {
      maxItems: 20,
      description:
        'Only tasks with this status, or with one of several: `status=failed,cancelled` or `status=failed&status=cancelled`.',
    }),
  ),
  type: Type.Optional(
    Type.Enum(['text_to_video', 'image_to_video'], { type: 'string', description: 'Only tasks of this type.' }),
  ),
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Only tasks of the model with this id.' }),
  ),
  resolution: Type.Optional(
    Type.Enum(resolutions, { type: 'string', description: 'Only tasks with this resolution.' }),
  ),
  aspect_ratio: Type.Optional(
    Type.Enum(aspectRatios, { type: 'string', description: 'Only tasks with this aspect ratio.' }),
  ),
  key_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only tasks that were created with the key that has this id.',
    }),
  ),
  created_after: momentParameter('Only tasks that were created at or after this time.'),
  created_before: momentParameter('Only tasks that were created before this time.'),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Only tasks whose prompt contains all of these words, in any order and case.',
      examples: ['paper boat'],
    }),
  ),
  metadata: metadataField(
    'Only tasks whose metadata contains all of these pairs: `metadata[order]=42`. Keys and values must match in full, ' +
      'including case.',
  ),
});

export const taskListSchema = listOf(taskSchema, 'TaskList', [
  { object: 'list', data: [exampleTask], first_id: exampleTask.id, last_id: exampleTask.id, has_more: false },
]);

export type PublicTaskList = Static<typeof taskListSchema>;
