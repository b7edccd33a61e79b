import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import { isRepeatable } from './create-routes.ts';
import { errorHeaders, presentError } from './present-error.ts';
import { requestFields } from './request-id.ts';

interface Parts {
  log: Log;
  isDatabaseUnavailable: (error: unknown) => boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The error that interrupted the response body. */
    bodyError: Error | null;
  }
  interface FastifyContextConfig {
    /** A sentence, after a space, about what to do if a body is too large. */
    largeBodyHint?: string;
  }
}

/** Turns every error of a request into our error body. */
export function handleErrors(app: FastifyInstance, { log, isDatabaseUnavailable }: Parts): void {
  app.decorateRequest('bodyError', null);

  app.setErrorHandler(async (caught, request, reply) => {
    // All broken connections have the same error code. One to the caller or the store says nothing about the database.
    const isOfOtherPeer = caught === request.raw.errored || caught === request.bodyError;
    const thrown =
      !isOfOtherPeer && isDatabaseUnavailable(caught)
        ? new AppError('overloaded', { cause: caught, retryAfterSeconds: 1 })
        : caught;
    const error = asAppError(thrown, request);
    const fields = { err: thrown, ...requestFields(request), code: error.code };
    if (error.status === 503) log.warn({ event: 'request.unavailable', ...fields }, 'request refused for now');
    else if (error.status >= 500) log.error({ event: 'request.failed', ...fields }, 'request failed');
    return sendError(error, request, reply);
  });
}

/** Sends an error body; the common headers are already set. */
export function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const context = { requestId: request.id, isRepeatable: isRepeatable(request) };
  // These headers were for the response that failed.
  for (const header of ['content-length', 'content-disposition', 'etag']) reply.removeHeader(header);
  // Without it, Node reads the rest of a refused body, so a client that still sends gets the response, not a reset.
  reply.removeHeader('connection');
  return reply
    .code(error.status)
    .headers(errorHeaders(error, context))
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(presentError(error, context)));
}

/** Maps a thrown value to the caller's error. Anything not known to be the caller's fault is an internal error. */
export function asAppError(thrown: unknown, request: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown;
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const limitBytes = request.routeOptions.bodyLimit;
      return new AppError('payload_too_large', {
        message: `The body must be at most ${limitBytes} bytes.${request.routeOptions.config.largeBodyHint ?? ''}`,
        cause: thrown,
      });
    }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type', {
        message: `Send the body as ${acceptedTypes(request)}.`,
        cause: thrown,
      });
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_NOT_FOUND':
      return new AppError('not_found', { cause: thrown });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('uri_too_long', { cause: thrown });
    default: {
      const isOfFastify = typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number';
      // The body was cut off: the caller has disconnected, but this is not an internal error either.
      const isCutOff = code === 'ECONNRESET' && request.raw.destroyed;
      if (isCutOff || (isOfFastify && statusCode < 500)) return new AppError('malformed_request', { cause: thrown });
      return new AppError('internal_error', { cause: thrown });
    }
  }
}

function acceptedTypes({ routeOptions }: FastifyRequest): string {
  return (routeOptions.schema?.consumes ?? ['application/json']).join(' or ');
}
