import { type Static, Type } from 'typebox';

const rate = (description: string) =>
  Type.Object(
    {
      limit_per_minute: Type.Integer({ description: 'How many a minute, over time.' }),
      burst: Type.Integer({ description: 'How many may come at once after a pause.' }),
      remaining: Type.Integer({ description: 'How many may come now.' }),
      reset_seconds: Type.Integer({ description: 'When the whole burst is there again, if nothing comes meanwhile.' }),
    },
    { description },
  );

const room = (description: string) =>
  Type.Object(
    { limit: Type.Integer(), used: Type.Integer({ description: 'May be above a limit that was lowered.' }) },
    { description },
  );

export const limitsSchema = Type.Object(
  {
    object: Type.Literal('limits'),
    livemode: Type.Boolean({ description: 'Limits of live and test mode are counted apart.' }),
    creates: rate('Requests that create a task, per project and mode. A replay by Idempotency-Key does not count.'),
    reads: rate('All other requests with this key, as one process of the service has counted them.'),
    waiting: room('Tasks of the project that are accepted and may not run yet.'),
    running: room('Tasks of the project that may run at once; more than that wait.'),
    uploads: rate('Uploads of files, per project and mode, as one process of the service has counted them.'),
    storage: Type.Object(
      {
        limit_bytes: Type.Integer(),
        used_bytes: Type.Integer({
          description: 'May be above the limit: the videos of accepted tasks are stored in any case.',
        }),
      },
      {
        description:
          'Bytes of uploaded files and of the files of tasks, until they are deleted or expire. At the limit, uploads and ' +
          'creates are refused with `storage_limit_reached`.',
      },
    ),
    files: room('Uploaded files that are stored. At the limit, uploads are refused with `storage_limit_reached`.'),
  },
  {
    $id: 'Limits',
    description: 'What the project may do, and how much of it is in use.',
    examples: [
      {
        object: 'limits',
        livemode: true,
        creates: { limit_per_minute: 60, burst: 10, remaining: 7, reset_seconds: 3 },
        reads: { limit_per_minute: 600, burst: 600, remaining: 598, reset_seconds: 1 },
        waiting: { limit: 100, used: 12 },
        running: { limit: 2, used: 2 },
        uploads: { limit_per_minute: 60, burst: 60, remaining: 60, reset_seconds: 0 },
        storage: { limit_bytes: 100_000_000_000, used_bytes: 1_284_503_116 },
        files: { limit: 10_000, used: 3 },
      },
    ],
  },
);

export type PublicLimits = Static<typeof limitsSchema>;
