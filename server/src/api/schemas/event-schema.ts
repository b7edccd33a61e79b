import { type Static, Type } from 'typebox';
import { eventTypes } from '../../domain/event.ts';
import { exampleTask } from './example-task.ts';
import { reference, unixSeconds } from './schema-parts.ts';
import { taskSchema } from './task-schema.ts';

const deletedTask = Type.Object(
  {
    task_id: Type.String(),
    id: Type.String(),
    object: Type.Literal('video'),
    status: taskSchema.properties.status,
    deleted: Type.Literal(true),
  },
  { description: 'What is left of a task that was deleted after the event.' },
);

const shortenedTask = Type.Omit(taskSchema, ['prompt', 'negative_prompt'], {
  description: 'The task without its prompts: with them the body would be over 20 kB.',
});

export const eventSchema = Type.Object(
  {
    id: Type.String({ description: 'The same at every delivery: what comes twice has the same id.' }),
    type: Type.Enum(eventTypes, { type: 'string', description: 'More types may be added.' }),
    created_at: unixSeconds('When it happened.'),
    data: Type.Union([reference(taskSchema), shortenedTask, deletedTask], {
      description: 'The task as it was then; its URLs are signed anew whenever the event is sent.',
    }),
    shortened: Type.Optional(Type.Literal(true, { description: 'Prompts were left out to stay within 20 kB.' })),
  },
  {
    $id: 'Event',
    description: 'Something that happened to a task.',
    examples: [
      { id: 'evt_01k9zqv9c4e8rb6t7y2m5n0p1q', type: 'video.completed', created_at: 1794700045, data: exampleTask },
    ],
  },
);

export type PublicEvent = Static<typeof eventSchema>;

/** Describes the 200 response of a route that streams events, with one message as an example. */
export function eventStreamResponse(example: string) {
  const schema = { description: 'Events as the HTML standard frames them.', examples: [example] };
  return { description: 'Server-sent events.', content: { 'text/event-stream': { schema } } };
}
