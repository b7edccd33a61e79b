import { AppError, type ErrorCode } from '../errors.ts';
import { errorSchema, type PublicError } from './error-schema.ts';
import { presentError } from './present-error.ts';
import { reference } from './schema-parts.ts';

/** Errors of a route that needs a key and that a suspended project may still use. */
export const erasureErrors = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'insufficient_scope',
  'rate_limited',
  'unknown_parameter',
] as const satisfies readonly ErrorCode[];

/** Errors of every other route that needs a key. They come before all others; such requests count against a limit. */
export const keyErrors = [...erasureErrors, 'project_suspended'] as const satisfies readonly ErrorCode[];

/** Errors of a body. A body is parsed even if the route needs none. */
export const parseErrors = [
  'invalid_json',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[];

/** Errors that any request can cause, whatever its route. */
const alwaysPossible = [
  'malformed_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'internal_error',
  'moving',
  'overloaded',
] as const satisfies readonly ErrorCode[];

/** Describes the error responses of a route by status, with their codes and an example of each. */
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
