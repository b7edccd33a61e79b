import { type Static, Type } from 'typebox';
import { momentParameter, nullable, reference, unixSeconds } from './schema-parts.ts';

export const usageQuery = Type.Object({
  bucket: Type.Optional(
    Type.Enum(['hour', 'day'], {
      type: 'string',
      default: 'day',
      description: 'How much time one bucket covers, in UTC.',
    }),
  ),
  group_by: Type.Optional(
    Type.Enum(['model', 'key', 'code'], {
      type: 'string',
      description: '`code`: by the code of failed tasks. Without it there is one result a bucket.',
    }),
  ),
  start: momentParameter(
    'The first moment that counts, moved back to the start of its bucket. By default 30 days before end for days, 48 hours for hours.',
  ),
  end: momentParameter('The moment before which tasks ended, moved on to the end of its bucket. By default now.'),
});

const percentiles = (description: string) =>
  nullable(Type.Object({ p50: Type.Number(), p90: Type.Number(), p99: Type.Number() }, { description }));

const result = Type.Object({
  model: nullable(Type.String({ description: 'With group_by=model.' })),
  key_id: nullable(Type.String({ description: 'With group_by=key.' })),
  code: nullable(Type.String({ description: 'With group_by=code; null for tasks that did not fail.' })),
  tasks: Type.Integer({ description: 'Tasks that ended, however they ended.' }),
  completed: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  video_seconds: Type.Number({ description: 'Of video that was delivered.' }),
  engine_seconds: Type.Number({ description: 'Of engine time, over all attempts.' }),
  billable_video_seconds: Type.Number({ description: 'Nothing is billable in test mode.' }),
  waiting_seconds: percentiles('From create to the first attempt, of the tasks that began.'),
  rendering_seconds: percentiles('From the first attempt to the end, of the completed tasks.'),
});

const exampleBucket = {
  object: 'usage.bucket',
  start: 1794700800,
  end: 1794787200,
  results: [
    {
      model: null,
      key_id: null,
      code: null,
      tasks: 42,
      completed: 40,
      failed: 1,
      cancelled: 1,
      video_seconds: 200,
      engine_seconds: 1712.4,
      billable_video_seconds: 200,
      waiting_seconds: { p50: 1.2, p90: 14.8, p99: 31 },
      rendering_seconds: { p50: 40.1, p90: 51.7, p99: 63.2 },
    },
  ],
};

export const usageBucketSchema = Type.Object(
  {
    object: Type.Literal('usage.bucket'),
    start: unixSeconds('Its first moment.'),
    end: unixSeconds('The first moment after it.'),
    results: Type.Array(result, {
      description: 'One for each group of tasks that ended here; without group_by exactly one, also where none ended.',
    }),
  },
  { $id: 'UsageBucket', description: 'What ended in an hour or a day.', examples: [exampleBucket] },
);

export const usageSchema = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(reference(usageBucketSchema), { description: 'Every bucket of the range, oldest first.' }),
    first_id: Type.Null({ description: 'Buckets have no ids.' }),
    last_id: Type.Null({ description: 'Buckets have no ids.' }),
    has_more: Type.Literal(false, { description: 'The range is always answered whole.' }),
  },
  {
    $id: 'Usage',
    description: 'Usage of the project in the mode of the key, by the time at which tasks ended.',
    examples: [{ object: 'list', data: [exampleBucket], first_id: null, last_id: null, has_more: false }],
  },
);

export type PublicUsage = Static<typeof usageSchema>;
export type PublicUsageBucket = Static<typeof usageBucketSchema>;
