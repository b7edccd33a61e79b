import { Type } from 'typebox';

/** There is no pattern: a malformed id is not found, like any other unknown id. */
export const taskIdParameter = Type.Object({
  task_id: Type.String({
    description: 'The `task_id` of a task.',
    examples: ['task_01k9zqv3x4e8rb6t7y2m5n0p1q'],
  }),
});
