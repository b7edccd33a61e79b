import { Type } from 'typebox';

/** The longest time that a request waits for the end of its task. */
export const longestWaitSeconds = 60;

// The routes read these headers themselves; the schemas are for the documentation.

const strict = '`handling=strict` refuses unknown fields instead of ignoring them with a warning.';
const wait = (then: string) =>
  `\`wait=N\` waits until the task is final, but at most N seconds (N ≤ ${longestWaitSeconds}), and ${then}.`;

const prefer = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      description: `Preferences as in RFC 7240. ${description} \`Preference-Applied\` names those that were followed.`,
      examples: [example],
    }),
  );

const ifNoneMatch = Type.Optional(
  Type.String({
    description: 'The `ETag` of an earlier response. If nothing has changed since, the response is 304 without a body.',
  }),
);

/** Request headers of every create. */
export const createHeaders = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: '^[!-~]+$',
      description:
        'A name of your choice for this request, such as a UUID, remembered for 7 days. If you send the same request ' +
        'again with the same key, no second task is created: you get the first response again, with ' +
        '`Idempotent-Replayed: true`. Another request with the same key gets 422 `idempotency_key_reused`.',
    }),
  ),
  Prefer: prefer(`${wait('then returns it')} ${strict}`, 'wait=60'),
});

/** Request headers of an estimate. */
export const estimateHeaders = Type.Object({ Prefer: prefer(strict, 'handling=strict') });

/** Request headers of a read of one task. */
export const readHeaders = Type.Object({
  Prefer: prefer(`${wait('then returns it')} If the parameter \`wait\` is present too, it wins.`, 'wait=60'),
  'If-None-Match': ifNoneMatch,
});

/** Request headers of a download. */
export const contentHeaders = Type.Object({
  Range: Type.Optional(
    Type.String({
      description: 'Requests one part of the file, which is returned with 206. Several ranges return the whole file.',
      examples: ['bytes=0-1048575'],
    }),
  ),
  'If-Range': Type.Optional(
    Type.String({
      description: 'The `ETag` that `Range` belongs to. If the file has another one, the whole file is returned.',
    }),
  ),
  'If-None-Match': ifNoneMatch,
});

/** Request headers of a stream of events. */
export const streamHeaders = (description: string) =>
  Type.Object({ 'Last-Event-ID': Type.Optional(Type.String({ description })) });
