import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import { createHttpApp } from '../http/create-http-app.ts';
import { healthRoutes } from '../http/health-routes.ts';
import { createAddressLimits } from '../http/limit-addresses.ts';
import { observeRequests } from '../http/observe-requests.ts';
import { refuseUnknownRoutes } from '../http/refuse-unknown-routes.ts';
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

const requestTimeoutMilliseconds = 30_000;

/** Builds the console: hooks in the order in which they run, then the routes. */
export function createConsoleApp(parts: ConsoleParts): FastifyInstance {
  const { consoleUrl } = parts;
  const app = createHttpApp(parts, { url: consoleUrl, requestTimeoutMilliseconds });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
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
