import Fastify, { type FastifyInstance } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { ConnectionClosedReason } from '../telemetry/metrics.ts';
import { boundConnections } from './bound-connections.ts';
import { readClientAddresses } from './client-address.ts';
import { clientErrorResponse } from './client-error-response.ts';
import { closeSlowConnections } from './close-slow-connections.ts';
import { closeUnusedConnections } from './close-unused-connections.ts';
import { commonHeaders } from './common-headers.ts';
import { asAppError, handleErrors, sendError } from './handle-errors.ts';
import { parseJsonBodies } from './parse-json-bodies.ts';
import { requestIdOf } from './request-id.ts';

const bodyLimitBytes = 64 * 1024;
const urlLimit = 8192;
/** The head of a request is a few packets. */
export const headersTimeoutMilliseconds = 10_000;
/** How often Node looks for requests that exceed their time. */
const timeoutCheckMilliseconds = 2_000;
/** Longer than the 60 s after which usual proxies close an idle connection: the proxy must be the one who does. */
export const keepAliveTimeoutMilliseconds = 72_000;

/** Browsers use https for this host alone for a year, whatever a link or a network says. */
const httpsOnly = 'max-age=31536000';

/** The parts that every HTTP server of ours needs. */
export interface HttpParts {
  log: Log;
  clock: Clock;
  /** Returns whether an error means that the database is unreachable for now. */
  isDatabaseUnavailable(error: unknown): boolean;
  /** The networks (CIDR) of the proxies whose X-Forwarded-For headers are believed. */
  trustedProxies: readonly string[];
  /** How many connections of callers may be open at once. */
  connectionLimit: number;
  /** Called when the server closes a connection because of a limit. */
  onConnectionClosed(reason: ConnectionClosedReason): void;
}

/**
 * Makes an HTTP server for the outside world without any route: connections, heads, bodies and time are limited, every
 * error has our body, and the first hooks set the common headers and refuse what is not a request to us.
 */
export function createHttpApp(
  parts: HttpParts,
  { url, requestTimeoutMilliseconds }: { url: string; requestTimeoutMilliseconds: number },
): FastifyInstance {
  const { clock } = parts;
  const isHttps = url.startsWith('https:');
  const app = Fastify({
    // Fastify's request log would contain signed URLs and one-time codes; observe-requests.ts writes ours.
    logger: false,
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id'], clock),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMilliseconds,
    keepAliveTimeout: keepAliveTimeoutMilliseconds,
    routerOptions: { maxParamLength: urlLimit },
    http: {
      // Node's own response to a missing Host header has no body; the hook below sends our error body instead.
      requireHostHeader: false,
      headersTimeout: headersTimeoutMilliseconds,
      connectionsCheckingInterval: timeoutCheckMilliseconds,
    },
    // Requests in flight while the server closes are served to completion.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: clientErrorResponse(clock),
    // Called for a URL that cannot be decoded; no hook runs for it.
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(request.id));
      sendError(asAppError(error, request), request, reply);
    },
  });
  // The routes read bodies and list every problem; Fastify's validator would coerce values and drop fields.
  app.setValidatorCompiler(() => () => true);
  // Presenters decide what a response contains; a serialiser built from the schema would silently drop unlisted fields.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  closeUnusedConnections(app);
  boundConnections(app, parts.connectionLimit, (reason) => parts.onConnectionClosed(reason));
  closeSlowConnections(app, (reason) => parts.onConnectionClosed(reason));
  parseJsonBodies(app);
  handleErrors(app, parts);

  readClientAddresses(app, parts.trustedProxies);
  let validHost: string | undefined;
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id));
    if (isHttps) reply.header('strict-transport-security', httpsOnly);
    // The limits and Fastify each wait for the end of the response; Node would warn about more than ten.
    reply.raw.setMaxListeners(20);
    if (request.url.length > urlLimit)
      throw new AppError('uri_too_long', { message: `The URL must be at most ${urlLimit} characters.` });
    const { host } = request.headers;
    // Nearly all requests name the same host, and parsing it costs as much as the rest of this hook.
    if (host !== undefined && host === validHost) return;
    const isHostValid = host === undefined ? request.raw.httpVersion === '1.0' : URL.canParse(`http://${host}`);
    if (!isHostValid) throw new AppError('malformed_request');
    validHost = host;
  });
  return app;
}
