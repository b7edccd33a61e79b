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
  param: Type.String({ description: 'The parameter that has the problem.' }),
  code: Type.String({ description: 'What is wrong with it, as `too_big` or `wrong_type`.' }),
  message: Type.String(),
  allowed: Type.Optional(
    Type.Array(Type.Union([Type.String(), Type.Number()]), {
      description: 'The allowed values, or the least and the greatest.',
    }),
  ),
});

export const errorSchema = Type.Object(
  {
    error: Type.Object({
      message: Type.String({ description: 'For people; it helps to act.' }),
      type: Type.Enum(errorTypes, { type: 'string' }),
      code: Type.String({ description: 'For programs.' }),
      param: nullable(Type.String({ description: 'The first parameter that has a problem.' })),
      retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
      details: Type.Array(errorDetail, { description: 'All problems of the request.' }),
    }),
    request_id: Type.String({ description: 'Quote it when you report a problem.' }),
  },
  {
    $id: 'Error',
    description: 'Why a request was refused.',
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
