import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { errorHeaders, presentError } from '../presenters/present-error.ts';
import { isRepeatable } from '../requests/read-idempotency.ts';

interface Parts {
  log: Log;
  isDatabaseAway: (error: unknown) => boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The error that broke off a body which is being sent. */
    bodyError: Error | null;
  }
}

/** Whatever goes wrong in a request ends here and leaves as our error body. */
export function handleErrors(app: FastifyInstance, { log, isDatabaseAway }: Parts): void {
  app.decorateRequest('bodyError', null);

  app.setErrorHandler(async (caught, request, reply) => {
    // A broken connection looks the same whatever it leads to: the caller's and the store's are not the database's.
    const isOfOthers = caught === request.raw.errored || caught === request.bodyError;
    const thrown =
      !isOfOthers && isDatabaseAway(caught)
        ? new AppError('overloaded', { cause: caught, retryAfterSeconds: 1 })
        : caught;
    const error = asAppError(thrown, request);
    const fields = { err: thrown, requestId: request.id, code: error.code };
    if (error.status === 503) log.warn({ event: 'request.unavailable', ...fields }, 'request refused for now');
    else if (error.status >= 500) log.error({ event: 'request.failed', ...fields }, 'request failed');
    return sendError(error, request, reply);
  });
}

/** Answers with an error body; the headers of every answer are there already. */
export function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const context = { requestId: request.id, isRepeatable: isRepeatable(request) };
  // What was meant for the answer that did not come about.
  for (const header of ['content-length', 'content-disposition', 'etag']) reply.removeHeader(header);
  // Fastify would close the connection on a body that it refuses, and a client that still sends would lose the answer to
  // the reset. Node reads what is left and throws it away, within the request's time limit.
  reply.removeHeader('connection');
  return reply
    .code(error.status)
    .headers(errorHeaders(error, context))
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(presentError(error, context)));
}

/** What a thrown thing means to the caller; anything that is not known to be the caller's doing is ours. */
export function asAppError(thrown: unknown, request: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown;
  const { code, statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const limitBytes = request.routeOptions.bodyLimit;
      return new AppError('payload_too_large', {
        message: `The body must be at most ${limitBytes} bytes.`,
        cause: thrown,
      });
    }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('unsupported_media_type', {
        message: `Send the body as ${takenBy(request)}.`,
        cause: thrown,
      });
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_NOT_FOUND':
      return new AppError('not_found', { cause: thrown });
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('uri_too_long', { cause: thrown });
    default: {
      const isOfFastify = typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number';
      // A body that ends too early: nobody is left to read the answer, but it is no failure of ours either.
      const isCutOff = code === 'ECONNRESET' && request.raw.destroyed;
      if (isCutOff || (isOfFastify && statusCode < 500)) return new AppError('malformed_request', { cause: thrown });
      return new AppError('internal_error', { cause: thrown });
    }
  }
}

function takenBy({ routeOptions }: FastifyRequest): string {
  return (routeOptions.schema?.consumes ?? ['application/json']).join(' or ');
}
