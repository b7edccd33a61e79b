import Fastify, { type FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';
import type { ApiParts } from './api-parts.ts';
import { authorizeRequests } from './hooks/authorize-requests.ts';
import { clientErrorResponse } from './hooks/client-error-response.ts';
import { closeUnusedConnections } from './hooks/close-unused-connections.ts';
import { commonHeaders } from './hooks/common-headers.ts';
import { countRequests } from './hooks/count-requests.ts';
import { asAppError, handleErrors, sendError } from './hooks/handle-errors.ts';
import { observeRequests } from './hooks/observe-requests.ts';
import { refuseUnknownRoutes } from './hooks/refuse-unknown-routes.ts';
import { shareWithOrigins } from './hooks/share-with-origins.ts';
import { describeRoutes, documentRoutes } from './openapi.ts';
import { parseJsonBodies } from './requests/parse-json-bodies.ts';
import { parseMultipartBodies } from './requests/parse-multipart-bodies.ts';
import { requestIdOf } from './requests/request-id.ts';
import { apiKeyRoutes } from './routes/api-key-routes.ts';
import { cancelVideoRoute } from './routes/cancel-video.ts';
import { createOpenAiVideoRoute } from './routes/create-openai-video.ts';
import { createVideoRoutes } from './routes/create-video.ts';
import { deleteVideoRoute } from './routes/delete-video.ts';
import { estimateVideoRoute } from './routes/estimate-video.ts';
import { fileRoutes } from './routes/file-routes.ts';
import { healthRoutes } from './routes/health-routes.ts';
import { limitsRoute } from './routes/limits-route.ts';
import { listVideosRoute } from './routes/list-videos.ts';
import { modelRoutes } from './routes/model-routes.ts';
import { projectEventsRoute } from './routes/project-events.ts';
import { readVideoRoute } from './routes/read-video.ts';
import { usageRoute } from './routes/usage-route.ts';
import { videoContentRoute } from './routes/video-content.ts';
import { videoEventsRoute } from './routes/video-events.ts';
import { videoTimelineRoute } from './routes/video-timeline.ts';
import { webhookDeliveryRoutes } from './routes/webhook-delivery-routes.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoint-routes.ts';
import { createEventFrames } from './streams/event-frames.ts';
import { createLongLivedRequests } from './streams/long-lived-requests.ts';
import { createTaskFrames } from './streams/task-frames.ts';
import { decorateWaitForEnd } from './streams/wait-for-end.ts';

const bodyLimitBytes = 64 * 1024;
const urlLimit = 8192;
/** Enough to receive 14 MiB over a slow connection. Responses may take longer. */
const requestTimeoutMilliseconds = 120_000;

/** Builds the whole public API: hooks in the order in which they run, then the routes. */
export function createApp(parts: ApiParts): FastifyInstance {
  const { clock, publicUrl } = parts;
  const app = Fastify({
    // Fastify's request log would contain signed URLs; observe-requests.ts writes ours.
    logger: false,
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id'], clock),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMilliseconds,
    routerOptions: { maxParamLength: urlLimit },
    // Node's own response to a missing Host header has no body; the hook below sends our error body instead.
    http: { requireHostHeader: false },
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
  parseJsonBodies(app);
  handleErrors(app, parts);

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id));
    if (request.url.length > urlLimit) throw new AppError('uri_too_long');
    const { host } = request.headers;
    const isHostValid = host === undefined ? request.raw.httpVersion === '1.0' : URL.canParse(`http://${host}`);
    if (!isHostValid) throw new AppError('malformed_request');
  });
  observeRequests(app, parts);
  shareWithOrigins(app, parts.corsOrigins);
  const refuseOtherMethods = refuseUnknownRoutes(app);
  authorizeRequests(app, (key) => parts.authenticate(key), countRequests(app, clock));

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

  describeRoutes(app, publicUrl);
  app.register(async (routes) => {
    createVideoRoutes(routes, parts);
    estimateVideoRoute(routes, parts);
    listVideosRoute(routes, parts);
    readVideoRoute(routes, parts);
    cancelVideoRoute(routes, parts);
    deleteVideoRoute(routes, parts);
    videoContentRoute(routes, parts);
    videoTimelineRoute(routes, parts);
    videoEventsRoute(routes, streaming);
    projectEventsRoute(routes, streaming);
    modelRoutes(routes, parts);
    limitsRoute(routes);
    usageRoute(routes, parts);
    apiKeyRoutes(routes, parts);
    routes.register(async (forms) => {
      parseMultipartBodies(forms);
      createOpenAiVideoRoute(forms, parts);
      fileRoutes(forms, parts);
    });
    webhookEndpointRoutes(routes, parts);
    webhookDeliveryRoutes(routes, parts);
    healthRoutes(routes, parts);
    documentRoutes(routes, publicUrl);
  });
  app.register(refuseOtherMethods);
  return app;
}
