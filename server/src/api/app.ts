import Fastify, { type FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import type { ApiParts } from './api-parts.ts';
import { authorizeRequests } from './hooks/authorize-requests.ts';
import { boundConnections } from './hooks/bound-connections.ts';
import { clientErrorResponse } from './hooks/client-error-response.ts';
import { closeSlowConnections } from './hooks/close-slow-connections.ts';
import { closeUnusedConnections } from './hooks/close-unused-connections.ts';
import { commonHeaders } from './hooks/common-headers.ts';
import { countRequests } from './hooks/count-requests.ts';
import { asAppError, handleErrors, sendError } from './hooks/handle-errors.ts';
import { createAddressLimits } from './hooks/limit-addresses.ts';
import { limitBodies } from './hooks/limit-bodies.ts';
import { observeRequests } from './hooks/observe-requests.ts';
import { refuseUnknownQueries } from './hooks/refuse-unknown-queries.ts';
import { refuseUnknownRoutes } from './hooks/refuse-unknown-routes.ts';
import { shareWithOrigins } from './hooks/share-with-origins.ts';
import { readClientAddresses } from './requests/client-address.ts';
import { parseJsonBodies } from './requests/parse-json-bodies.ts';
import { parseMultipartBodies } from './requests/parse-multipart-bodies.ts';
import { requestIdOf } from './requests/request-id.ts';
import { apiKeyRoutes } from './routes/api-key-routes.ts';
import { auditEventRoute } from './routes/audit-event-route.ts';
import { cancelVideoRoute } from './routes/cancel-video.ts';
import { createOpenAiVideoRoute } from './routes/create-openai-video.ts';
import { createVideoRoutes } from './routes/create-video.ts';
import { deleteVideoRoute } from './routes/delete-video.ts';
import { documentRoutes } from './routes/document-routes.ts';
import { estimateVideoRoute } from './routes/estimate-video.ts';
import { fileRoutes } from './routes/file-routes.ts';
import { healthRoutes } from './routes/health-routes.ts';
import { limitsRoute } from './routes/limits-route.ts';
import { listVideosRoute } from './routes/list-videos.ts';
import { modelRoutes } from './routes/model-routes.ts';
import { projectEventsRoute } from './routes/project-events.ts';
import { readVideoRoute } from './routes/read-video.ts';
import { tokenRoute } from './routes/token-route.ts';
import { usageRoute } from './routes/usage-route.ts';
import { videoContentRoute } from './routes/video-content.ts';
import { videoEventsRoute } from './routes/video-events.ts';
import { videoTimelineRoute } from './routes/video-timeline.ts';
import { webhookDeliveryRoutes } from './routes/webhook-delivery-routes.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoint-routes.ts';
import { createDownloads } from './streams/downloads.ts';
import { createEventFrames } from './streams/event-frames.ts';
import { createLongLivedRequests } from './streams/long-lived-requests.ts';
import { createTaskFrames } from './streams/task-frames.ts';
import { decorateWaitForEnd } from './streams/wait-for-end.ts';

const bodyLimitBytes = 64 * 1024;
const urlLimit = 8192;
/** Enough to receive 14 MiB over a slow connection. Responses may take longer. */
const requestTimeoutMilliseconds = 120_000;
/** The head of a request is a few packets. */
const headersTimeoutMilliseconds = 10_000;
/** How often Node looks for requests that exceed the two limits above. */
const timeoutCheckMilliseconds = 2_000;
/** Longer than the 60 s after which usual proxies close an idle connection: the proxy must be the one who does. */
const keepAliveTimeoutMilliseconds = 72_000;

/** Browsers use https for this host alone for a year, whatever a link or a network says. */
const httpsOnly = 'max-age=31536000';

/** Builds the whole public API: hooks in the order in which they run, then the routes. */
export function createApp(parts: ApiParts): FastifyInstance {
  const { clock, publicUrl } = parts;
  const isHttps = publicUrl.startsWith('https:');
  const app = Fastify({
    // Fastify's request log would contain signed URLs; observe-requests.ts writes ours.
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
    if (request.url.length > urlLimit) throw new AppError('uri_too_long');
    const { host } = request.headers;
    // Nearly all requests name the same host, and parsing it costs as much as the rest of this hook.
    if (host !== undefined && host === validHost) return;
    const isHostValid = host === undefined ? request.raw.httpVersion === '1.0' : URL.canParse(`http://${host}`);
    if (!isHostValid) throw new AppError('malformed_request');
    validHost = host;
  });
  observeRequests(app, parts, ({ caller }) => (caller ? { projectId: caller.projectId, keyId: caller.keyId } : {}));
  shareWithOrigins(app, parts.corsOrigins);
  const refuseOtherMethods = refuseUnknownRoutes(app);
  authorizeRequests(app, parts, countRequests(app, clock), createAddressLimits(parts));
  refuseUnknownQueries(app);
  limitBodies(app);

  // A closing server would otherwise wait for streams and waiting requests until they end by themselves.
  const longLived = createLongLivedRequests(parts);
  app.addHook('preClose', async () => longLived.close());
  decorateWaitForEnd(app, parts, longLived);
  const streaming = {
    ...parts,
    longLived,
    renderTask: createTaskFrames(parts),
    renderEvent: createEventFrames(parts),
  };

  parts.beforeRoutes?.(app);
  app.register(async (routes) => {
    createVideoRoutes(routes, parts);
    estimateVideoRoute(routes, parts);
    listVideosRoute(routes, parts);
    readVideoRoute(routes, parts);
    cancelVideoRoute(routes, parts);
    deleteVideoRoute(routes, parts);
    videoContentRoute(routes, { ...parts, downloads: createDownloads(parts.downloadLimit) });
    videoTimelineRoute(routes, parts);
    videoEventsRoute(routes, streaming);
    projectEventsRoute(routes, streaming);
    modelRoutes(routes, parts);
    limitsRoute(routes);
    usageRoute(routes, parts);
    apiKeyRoutes(routes, parts);
    tokenRoute(routes, parts);
    auditEventRoute(routes, parts);
    routes.register(async (forms) => {
      parseMultipartBodies(forms);
      createOpenAiVideoRoute(forms, parts);
      fileRoutes(forms, parts);
    });
    webhookEndpointRoutes(routes, parts);
    webhookDeliveryRoutes(routes, parts);
    healthRoutes(routes, parts, { showsChecks: () => false });
    if (parts.hasDocs) documentRoutes(routes, publicUrl);
  });
  app.register(refuseOtherMethods);
  return app;
}
