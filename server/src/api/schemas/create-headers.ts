import { Type } from 'typebox';

/** Request headers of every create, for the documentation. The route reads them itself. */
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

/** Headers of every response to a request with a key, for the documentation. */
export const rateLimitHeaders = {
  'ratelimit-policy': { type: 'string', description: 'The limits, such as `"create";q=60;w=60, "read";q=600;w=60`.' },
  ratelimit: {
    type: 'string',
    description:
      'Requests left, and seconds until the quota is full again, such as `"create";r=7;t=3, "read";r=599;t=1`.',
  },
  'x-ratelimit-limit-requests': {
    type: 'integer',
    description: 'Requests per minute allowed by the limit that applies.',
  },
  'x-ratelimit-burst-requests': {
    type: 'integer',
    description: 'Requests that may come at once after a pause. `x-ratelimit-remaining-requests` counts down from it.',
  },
  'x-ratelimit-remaining-requests': { type: 'integer', description: 'Requests left right now.' },
  'x-ratelimit-reset-requests': { type: 'string', description: 'Time until the quota is full again, such as `6m0s`.' },
};

/** Headers of the response to a create, for the documentation. */
export const replayHeaders = {
  'idempotent-replayed': {
    type: 'string',
    const: 'true',
    description: 'Only on the answer of an earlier request under the same Idempotency-Key.',
  },
};
