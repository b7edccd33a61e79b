import { type Static, Type } from 'typebox';

import { momentParameter, nullable, objectKind, reference, unixSeconds } from '../../http/schema-parts.ts';

export const usageQuery = Type.Object({
  bucket: Type.Optional(
    Type.Enum(['hour', 'day'], {
      type: 'string',
      default: 'day',
      description: 'The time that one bucket covers, in UTC.',
    }),
  ),
  group_by: Type.Optional(
    Type.Enum(['model', 'key', 'code'], {
      type: 'string',
      description:
        'Splits each bucket by model, by API key or by the error code of failed tasks. By default each bucket has ' +
        'one result.',
    }),
  ),
  start: momentParameter(
    'The start of the range, moved back to the start of its bucket. Default: 30 days before `end`, or 48 hours if ' +
      '`bucket` is `hour`.',
  ),
  end: momentParameter('The end of the range, moved forward to the end of its bucket. Default: now.'),
});

const percentiles = (description: string) =>
  nullable(
    Type.Object(
      {
        p50: Type.Number({ description: 'The median, in seconds.' }),
        p90: Type.Number({ description: 'The 90th percentile, in seconds.' }),
        p99: Type.Number({ description: 'The 99th percentile, in seconds.' }),
      },
      { description },
    ),
  );

const result = Type.Object({
  model: nullable(Type.String({ description: 'The model of the group with `group_by=model`, otherwise null.' })),
  key_id: nullable(
    Type.String({ description: 'The id of the API key of the group with `group_by=key`, otherwise null.' }),
  ),
  code: nullable(
    Type.String({
      description:
        'The error code of the group with `group_by=code`. Null for tasks that did not fail, and without that ' +
        'grouping.',
    }),
  ),
  tasks: Type.Integer({ description: 'Tasks that ended: completed, failed and cancelled.' }),
  completed: Type.Integer({ description: 'Tasks that completed.' }),
  failed: Type.Integer({ description: 'Tasks that failed.' }),
  cancelled: Type.Integer({ description: 'Tasks that were cancelled.' }),
  video_seconds: Type.Number({ description: 'Seconds of video that were delivered.' }),
  engine_seconds: Type.Number({ description: 'Seconds of engine time, over all attempts.' }),
  billable_video_seconds: Type.Number({ description: 'Seconds of video of billable tasks. Always 0 in test mode.' }),
  waiting_seconds: percentiles(
    'Time from the create to the first attempt, over the tasks that started. Null if there were none.',
  ),
  rendering_seconds: percentiles(
    'Time from the first attempt to the end, over the completed tasks. Null if there were none.',
  ),
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
    object: objectKind('usage.bucket'),
    start: unixSeconds('The start of the bucket.'),
    end: unixSeconds('The end of the bucket, which is the start of the next one.'),
    results: Type.Array(result, {
      description:
        'One result per group of tasks that ended in the bucket. Without `group_by` exactly one, even if no task ' +
        'ended.',
    }),
  },
  { $id: 'UsageBucket', description: 'The tasks that ended in one hour or day.', examples: [exampleBucket] },
);

export const usageSchema = Type.Object(
  {
    object: objectKind('list'),
    data: Type.Array(reference(usageBucketSchema), { description: 'All buckets of the range, oldest first.' }),
    first_id: nullable(Type.String(), 'Always null: buckets have no ids.'),
    last_id: nullable(Type.String(), 'Always null: buckets have no ids.'),
    has_more: Type.Literal(false, { description: 'Always false: the response has all buckets of the range.' }),
  },
  {
    $id: 'Usage',
    description: 'The usage of the project in the mode of the key, by the time at which tasks ended.',
    examples: [{ object: 'list', data: [exampleBucket], first_id: null, last_id: null, has_more: false }],
  },
);

export type PublicUsage = Static<typeof usageSchema>;
export type PublicUsageBucket = Static<typeof usageBucketSchema>;
