import { Type } from 'typebox';

/** No pattern: an id that cannot be one is not found, as any other that is not there. */
export const taskIdParameter = Type.Object({
  task_id: Type.String({
    description: 'The task_id that a create answered with.',
    examples: ['task_01k9zqv3x4e8rb6t7y2m5n0p1q'],
  }),
});
