import { type Static, Type } from 'typebox';
import { nullable, objectKind, unixSeconds } from '../../http/schema-parts.ts';
import { taskSchema } from './task-schema.ts';

const id = 'task_01k9zqv3x4e8rb6t7y2m5n0p1q';

const timelineStage = Type.Object({
  stage: Type.Enum(['waiting', 'preparing', 'rendering', 'finishing'], {
    type: 'string',
    description:
      '`waiting`: in the queue. `rendering`: from the moment the attempt got a slot of an engine, so it includes ' +
      'preparing. `preparing`: the attempt ended before the engine took its job. `finishing`: checking, scaling and ' +
      'storing. More values may be added.',
  }),
  attempt: Type.Integer({ description: 'The number of the attempt that the stage led to or was part of.' }),
  started_at: unixSeconds('When the stage started.'),
  ended_at: nullable(unixSeconds('When the stage ended. Null while it lasts.')),
  seconds: Type.Number({
    description: 'How long the stage took in seconds, to the millisecond; until now if it still lasts.',
  }),
});

const timelineAttempt = Type.Object({
  attempt: Type.Integer({ description: 'The number of the attempt, starting at 1.' }),
  endpoint: Type.String({ description: 'The name of the engine endpoint that rendered it.' }),
  started_at: unixSeconds('When the attempt got a slot of the endpoint.'),
  began_at: unixSeconds('The same as `started_at`, under its first name.'),
  ended_at: nullable(unixSeconds('When the attempt ended. Null while it lasts.')),
  engine_seconds: nullable(
    Type.Number({ description: 'How long the attempt occupied the engine, in seconds. Null while it does.' }),
  ),
  takeovers: Type.Integer({
    description: 'How often another worker continued the attempt, after a crash or a deployment.',
  }),
  outcome: nullable(
    Type.String({
      description:
        '`completed`, `cancelled`, `refused` (the engine did not take the job), or the code of the failure. Null ' +
        'while the attempt lasts.',
    }),
  ),
});

export const timelineSchema = Type.Object(
  {
    id: Type.String({ description: 'The `task_id` of the task.' }),
    task_id: Type.String({ description: 'The same as `id`.' }),
    object: objectKind('video.timeline'),
    status: taskSchema.properties.status,
    created_at: unixSeconds('When the task was accepted.'),
    started_at: nullable(unixSeconds('When the first attempt started. Null before that.')),
    completed_at: nullable(unixSeconds('When the task ended: completed, failed or cancelled. Null before that.')),
    seconds: Type.Number({
      description:
        'How long the task took from acceptance to its end in seconds, to the millisecond; until now if it has not ' +
        'ended. This is a number and not the length of the video, which is the string `seconds` of a task.',
    }),
    stages: Type.Array(timelineStage, {
      description: 'The stages in order, without a gap from acceptance to the end.',
    }),
    attempts: Type.Array(timelineAttempt, { description: 'The attempts in order.' }),
  },
  {
    $id: 'Timeline',
    description: 'The stages and attempts of a task, with their times.',
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
            started_at: 1794700001,
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
