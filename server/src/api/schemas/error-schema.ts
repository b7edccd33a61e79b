import { type Static, Type } from 'typebox';
import { AppError, type ErrorCode } from '../../errors.ts';
import { presentError } from '../presenters/present-error.ts';
import { nullable, reference } from './schema-parts.ts';

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

/** What every route that takes a key refuses with before it looks at anything else; each request draws on a limit. */
export const keyErrors = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'insufficient_scope',
  'project_suspended',
  'rate_limited',
] as const satisfies readonly ErrorCode[];

/** What is sent along with a request is looked at also where nothing needs to be. */
export const parseErrors = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** What can happen to any request, wherever it was meant to go. */
const alwaysPossible = [
  'malformed_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'overloaded',
] as const satisfies readonly ErrorCode[];

/** The error answers of a route, by status, each naming its codes, with an example of every code. */
export function errorResponses(codes: readonly ErrorCode[]): Record<number, object> {
  const errors = [...new Set([...codes, ...alwaysPossible])].map((code) => new AppError(code));
  const byStatus = Map.groupBy(errors, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map(({ code }) => `\`${code}\``).join(', '),
        content: {
          'application/json': {
            schema: reference(errorSchema),
            examples: Object.fromEntries(ofStatus.map((error) => [error.code, { value: exampleOf(error) }])),
          },
        },
      },
    ]),
  );
}

function exampleOf(error: AppError): PublicError {
  return presentError(error, { requestId: 'req_01k9zqv3x4e8rb6t7y2m5n0p1q', isRepeatable: false });
}
