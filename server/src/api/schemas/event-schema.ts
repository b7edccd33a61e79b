import { type Static, Type } from 'typebox';
import { eventTypes } from '../../domain/event.ts';
import { deletedMark, objectKind, reference, unixSeconds } from '../../http/schema-parts.ts';
import { exampleTask } from './example-task.ts';
import { streamHeader } from './response-headers.ts';
import { taskSchema } from './task-schema.ts';

const deletedTask = Type.Object(
  {
    task_id: Type.String({ description: 'The id of the task.' }),
    id: Type.String({ description: 'The same as `task_id`.' }),
    object: objectKind('video'),
    status: taskSchema.properties.status,
    deleted: deletedMark(),
  },
  { description: 'What is left of a task that was deleted after the event.' },
);

const shortenedTask = Type.Omit(taskSchema, ['prompt', 'negative_prompt'], {
  description: 'The task without its prompts, because the body would exceed 20 kB with them.',
});

export const eventSchema = Type.Object(
  {
    id: Type.String({
      description: 'The id of the event, the same at every delivery. Use it to recognise repetitions.',
    }),
    type: Type.Enum(eventTypes, {
      type: 'string',
      description:
        'What happened to the task: it started, completed, failed or was cancelled. More values may be added.',
    }),
    created_at: unixSeconds('When the event happened.'),
    data: Type.Union([reference(taskSchema), shortenedTask, deletedTask], {
      description: 'The task as it was then. Its URLs are signed again each time the event is sent.',
    }),
    shortened: Type.Optional(
      Type.Literal(true, { description: 'Present if the prompts were left out to keep the body within 20 kB.' }),
    ),
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
  const schema = { description: 'Server-sent events in the format of the HTML standard.', examples: [example] };
  return {
    description: 'A stream of server-sent events.',
    content: { 'text/event-stream': { schema } },
    headers: streamHeader,
  };
}
