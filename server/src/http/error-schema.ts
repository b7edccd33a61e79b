import { type Static, Type } from 'typebox';
import { nullable } from './schema-parts.ts';

export const errorTypes = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'rate_limit_error',
  'api_error',
] as const;

const errorDetail = Type.Object({
  param: Type.String({ description: 'The parameter that has the problem, such as `duration` or `callback_events.0`.' }),
  code: Type.String({
    description:
      'What is wrong with it, for programs: `missing`, `wrong_type`, `too_big` and so on. More values may be added.',
  }),
  message: Type.String({ description: 'What is wrong with it, for people.' }),
  allowed: Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Number()]), {
      description: 'The allowed values, or the smallest and the largest. Absent if they cannot be listed.',
    }),
  ),
});

export const errorSchema = Type.Object(
  {
    error: Type.Object(
      {
        message: Type.String({ description: 'What happened and what to do, for people. The text may change.' }),
        type: Type.Enum(errorTypes, {
          type: 'string',
          description:
            'The kind of error. `invalid_request_error`: the request must change. `authentication_error`: the key is ' +
            'missing or does not work. `permission_error`: the key or the project may not do this. ' +
            '`rate_limit_error`: a limit is reached. `api_error`: the service has a problem.',
        }),
        code: Type.String({
          description: 'What went wrong, for programs. The page /docs lists all codes. More values may be added.',
        }),
        param: nullable(
          Type.String({
            description: 'The first parameter that has a problem. Null if the error is not about a parameter.',
          }),
        ),
        retryable: Type.Boolean({
          description:
            'Whether a program may send the same request again without a change. The header `x-should-retry` has the same ' +
            'value.',
        }),
        details: Type.Array(errorDetail, {
          description: 'All problems of the request, the first one first. Empty if the error is not about parameters.',
        }),
      },
      { description: 'Why the request failed.' },
    ),
    request_id: Type.String({
      description: 'The id of the request, also in the header `x-request-id`. Quote it when you ask for support.',
    }),
  },
  {
    $id: 'Error',
    description: 'The body of every response with a status of 400 or higher.',
    examples: [
      {
        error: {
          message: 'duration must be at most 10',
          type: 'invalid_request_error',
          code: 'invalid_parameter',
          param: 'duration',
          retryable: false,
          details: [{ param: 'duration', code: 'too_big', message: 'duration must be at most 10', allowed: [1, 10] }],
        },
        request_id: 'req_01k9zqv3x4e8rb6t7y2m5n0p1q',
      },
    ],
  },
);

export type PublicError = Static<typeof errorSchema>;
