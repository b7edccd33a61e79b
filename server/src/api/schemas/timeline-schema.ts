import { type Static, Type } from 'typebox';
import { nullable, unixSeconds } from './schema-parts.ts';
import { taskSchema } from './task-schema.ts';

const id = 'task_01k9zqv3x4e8rb6t7y2m5n0p1q';

const timelineStage = Type.Object({
  stage: Type.Enum(['waiting', 'preparing', 'rendering', 'finishing'], {
    type: 'string',
    description:
      '`rendering` is counted from the moment an engine’s slot was taken, so `preparing` is part of it; an attempt that ended before the engine took its job is `preparing`. More values may be added.',
  }),
  attempt: Type.Integer({ description: 'The attempt that it led to or was part of.' }),
  started_at: unixSeconds('When it began.'),
  ended_at: nullable(unixSeconds('When it was over; null while it goes on.')),
  seconds: Type.Number({ description: 'How long it took, to the millisecond; so far, while it goes on.' }),
});

const timelineAttempt = Type.Object({
  attempt: Type.Integer({ description: 'From 1.' }),
  endpoint: Type.String({ description: 'The name of the engine endpoint that served it.' }),
  began_at: unixSeconds('When a slot of the endpoint was taken for it.'),
  ended_at: nullable(unixSeconds('When it was over; null while it goes on.')),
  engine_seconds: nullable(Type.Number({ description: 'How long it held the engine; null while it does.' })),
  takeovers: Type.Integer({ description: 'How often another worker went on with it, after a crash or a deploy.' }),
  outcome: nullable(
    Type.String({
      description:
        '`completed`, `cancelled`, `refused` (the engine did not take the job), or the code of what went wrong; null while it goes on.',
    }),
  ),
});

export const timelineSchema = Type.Object(
  {
    id: Type.String({ description: 'The task_id.' }),
    task_id: Type.String({ description: 'The same as id.' }),
    object: Type.Literal('video.timeline'),
    status: taskSchema.properties.status,
    created_at: unixSeconds('When the task was accepted.'),
    started_at: nullable(unixSeconds('When its first attempt began.')),
    completed_at: nullable(unixSeconds('When it ended, however it ended.')),
    seconds: Type.Number({ description: 'From acceptance to end, to the millisecond; so far, while it goes on.' }),
    stages: Type.Array(timelineStage, { description: 'First to last, without a gap from acceptance to end.' }),
    attempts: Type.Array(timelineAttempt, { description: 'First to last.' }),
  },
  {
    $id: 'Timeline',
    description: 'What happened to a task, and when.',
    examples: [
      {
        id,
        task_id: id,
        object: 'video.timeline',
        status: 'completed',
        created_at: 1794700000,
        started_at: 1794700001,
        completed_at: 1794700045,
        seconds: 44.71,
        stages: [
          { stage: 'waiting', attempt: 1, started_at: 1794700000, ended_at: 1794700001, seconds: 0.84 },
          { stage: 'rendering', attempt: 1, started_at: 1794700001, ended_at: 1794700042, seconds: 41.2 },
          { stage: 'finishing', attempt: 1, started_at: 1794700042, ended_at: 1794700045, seconds: 2.67 },
        ],
        attempts: [
          {
            attempt: 1,
            endpoint: 'animatic',
            began_at: 1794700001,
            ended_at: 1794700045,
            engine_seconds: 41.2,
            takeovers: 0,
            outcome: 'completed',
          },
        ],
      },
    ],
  },
);

export type PublicTimeline = Static<typeof timelineSchema>;
