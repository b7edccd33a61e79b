import { type Static, Type } from 'typebox';
import { objectKind } from '../../http/schema-parts.ts';

const rate = (description: string) =>
  Type.Object(
    {
      limit_per_minute: Type.Integer({ description: 'Requests per minute, over time.' }),
      burst: Type.Integer({ description: 'Requests that may come at once after a pause.' }),
      remaining: Type.Integer({ description: 'Requests left right now.' }),
      reset_seconds: Type.Integer({
        description: 'Seconds until the whole burst is available again, if no request comes before then.',
      }),
    },
    { description },
  );

const room = (description: string) =>
  Type.Object(
    {
      limit: Type.Integer({ description: 'The largest number allowed.' }),
      used: Type.Integer({ description: 'The present number. It can be above a limit that was lowered.' }),
    },
    { description },
  );

export const limitsSchema = Type.Object(
  {
    object: objectKind('limits'),
    livemode: Type.Boolean({ description: 'The mode of the key. Live and test mode have separate limits.' }),
    creates: rate(
      'Requests that create a task, per project and mode. Creates that make no task, and replays by ' +
        '`Idempotency-Key`, count as reads.',
    ),
    reads: rate('All other requests with this key. Each process of the service counts its own.'),
    waiting: room(
      'Tasks of the project that are waiting for a free place, at the model with the most. Each model has this limit, but ' +
        'models that share engines share it.',
    ),
    waiting_total: room('Tasks of the project that are waiting for a free place, at all models together.'),
    running: room('Tasks of the project that run at the same time. Others wait.'),
    uploads: rate('Uploads of files, per project and mode. Each process of the service counts its own.'),
    storage: Type.Object(
      {
        limit_bytes: Type.Integer({ description: 'The bytes that the project may store.' }),
        used_bytes: Type.Integer({
          description:
            'The bytes that it stores. They can exceed the limit: videos of accepted tasks are always stored.',
        }),
      },
      {
        description:
          'Bytes of uploaded files and of tasks’ files, until they are deleted or expire. At the limit, uploads and ' +
          'creates are refused with `storage_limit_reached`.',
      },
    ),
    files: room('Uploaded files that are stored. At the limit, uploads are refused with `storage_limit_reached`.'),
  },
  {
    $id: 'Limits',
    description: 'The limits of the project and how much of each is in use.',
    examples: [
      {
        object: 'limits',
        livemode: true,
        creates: { limit_per_minute: 60, burst: 10, remaining: 7, reset_seconds: 3 },
        reads: { limit_per_minute: 600, burst: 600, remaining: 598, reset_seconds: 1 },
        waiting: { limit: 100, used: 12 },
        waiting_total: { limit: 1000, used: 14 },
        running: { limit: 2, used: 2 },
        uploads: { limit_per_minute: 60, burst: 60, remaining: 60, reset_seconds: 0 },
        storage: { limit_bytes: 100_000_000_000, used_bytes: 1_284_503_116 },
        files: { limit: 10_000, used: 3 },
      },
    ],
  },
);

export type PublicLimits = Static<typeof limitsSchema>;
