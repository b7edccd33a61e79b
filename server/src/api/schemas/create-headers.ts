import { Type } from 'typebox';

/** Request headers of every create. They are read by the route; this is what callers are told of them. */
export const createHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[!-~]+$',
      description:
        'A name for this request, remembered for 7 days: the same request under the same key makes no second task, but ' +
        'gets the first answer again with `Idempotent-Replayed: true`. Another request under it is 422.',
    }),
  ),
});

/** Headers of every answer to a key, for the documentation. */
export const rateLimitHeaders = {
  'ratelimit-policy': { type: 'string', description: 'The limits, as `"create";q=60;w=60, "read";q=600;w=60`.' },
  ratelimit: {
    type: 'string',
    description:
      'What may come now and in how many seconds all is there again, as `"create";r=7;t=3, "read";r=599;t=1`.',
  },
  'x-ratelimit-limit-requests': { type: 'integer', description: 'Of the limit that this request draws on, a minute.' },
  'x-ratelimit-remaining-requests': { type: 'integer', description: 'How many may come now.' },
  'x-ratelimit-reset-requests': { type: 'string', description: 'When all is there again, as `6m0s`.' },
};

/** Of a create's answer. */
export const replayHeaders = {
  'idempotent-replayed': {
    type: 'string',
    const: 'true',
    description: 'Only on the answer of an earlier request under the same Idempotency-Key.',
  },
};
