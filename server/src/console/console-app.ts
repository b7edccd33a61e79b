import Fastify, { type FastifyInstance } from 'fastify';
import { boundConnections } from '../api/hooks/bound-connections.ts';
import { clientErrorResponse } from '../api/hooks/client-error-response.ts';
import { closeSlowConnections } from '../api/hooks/close-slow-connections.ts';
import { closeUnusedConnections } from '../api/hooks/close-unused-connections.ts';
import { commonHeaders } from '../api/hooks/common-headers.ts';
import { asAppError, handleErrors, sendError } from '../api/hooks/handle-errors.ts';
import { createAddressLimits } from '../api/hooks/limit-addresses.ts';
import { observeRequests } from '../api/hooks/observe-requests.ts';
import { refuseUnknownRoutes } from '../api/hooks/refuse-unknown-routes.ts';
import { readClientAddresses } from '../api/requests/client-address.ts';
import { parseJsonBodies } from '../api/requests/parse-json-bodies.ts';
import { requestIdOf } from '../api/requests/request-id.ts';
import { healthRoutes } from '../api/routes/health-routes.ts';
import { AppError } from '../errors.ts';
import type { ConsoleParts } from './console-parts.ts';
import { authorizeSessions } from './hooks/authorize-sessions.ts';
import { refuseCrossSite } from './hooks/refuse-cross-site.ts';
import { createDescribeSession } from './routes/describe-session.ts';
import { engineRoutes } from './routes/engine-routes.ts';
import { installationRoutes } from './routes/installation-routes.ts';
import { memberRoutes } from './routes/member-routes.ts';
import { openidRoutes } from './routes/openid-routes.ts';
import { peopleRoutes } from './routes/people-routes.ts';
import { projectRoutes } from './routes/project-routes.ts';
import { sessionRoutes } from './routes/session-routes.ts';
import { signInRoutes } from './routes/sign-in-routes.ts';
import { staticRoutes } from './routes/static-routes.ts';

const bodyLimitBytes = 64 * 1024;
const urlLimit = 8192;
const requestTimeoutMilliseconds = 30_000;
/** The head of a request is a few packets. */
const headersTimeoutMilliseconds = 10_000;
/** Longer than the 60 s after which usual proxies close an idle connection: the proxy must be the one who does. */
const keepAliveTimeoutMilliseconds = 72_000;
/** Browsers use https for this host alone for a year, whatever a link or a network says. */
const httpsOnly = 'max-age=31536000';

/** Builds the console: hooks in the order in which they run, then the routes. */
export function createConsoleApp(parts: ConsoleParts): FastifyInstance {
  const { clock, consoleUrl } = parts;
  const isHttps = consoleUrl.startsWith('https:');
  const app = Fastify({
    // Fastify's request log would contain URLs with one-time codes; observe-requests.ts writes ours.
    logger: false,
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id'], clock),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMilliseconds,
    keepAliveTimeout: keepAliveTimeoutMilliseconds,
    routerOptions: { maxParamLength: urlLimit },
    http: { headersTimeout: headersTimeoutMilliseconds },
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
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  closeUnusedConnections(app);
  boundConnections(app, parts.connectionLimit, (reason) => parts.onConnectionClosed(reason));
  closeSlowConnections(app, (reason) => parts.onConnectionClosed(reason));
  parseJsonBodies(app);
  handleErrors(app, parts);
  readClientAddresses(app, parts.trustedProxies);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...commonHeaders(request.id), 'cache-control': 'no-store' });
    if (isHttps) reply.header('strict-transport-security', httpsOnly);
    if (request.url.length > urlLimit) throw new AppError('uri_too_long');
    // Every other path is a page.
    const isPage = request.routeOptions.url === '/*';
    if (isPage && /^\/console-api(\/|\?|$)/.test(request.url)) throw new AppError('not_found');
  });
  // The scheme of API keys, which `sendError` names for status 401, is not how people sign in.
  app.addHook('onSend', async (_request, reply) => void reply.removeHeader('www-authenticate'));
  observeRequests(app, parts, ({ session }) =>
    session ? { personId: session.person.id, sessionId: session.session.id } : {},
  );
  const refuseOtherMethods = refuseUnknownRoutes(app);
  refuseCrossSite(app, [new URL(consoleUrl).origin, ...parts.otherOrigins]);
  authorizeSessions(app, parts, createAddressLimits(parts));

  const describeSession = createDescribeSession(parts);
  app.register(async (routes) => {
    sessionRoutes(routes, parts, describeSession);
    signInRoutes(routes, parts, describeSession);
    engineRoutes(routes, parts.operators);
    installationRoutes(routes, parts.operators);
    openidRoutes(routes, parts);
    peopleRoutes(routes, parts);
    memberRoutes(routes, parts);
    projectRoutes(routes, parts);
    healthRoutes(routes, parts, { showsChecks: () => false });
    staticRoutes(routes, parts);
  });
  app.register(refuseOtherMethods);
  return app;
}
