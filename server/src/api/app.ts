import type { FastifyInstance } from 'fastify';
import { createHttpApp } from '../http/create-http-app.ts';
import { healthRoutes } from '../http/health-routes.ts';
import { createAddressLimits } from '../http/limit-addresses.ts';
import { limitBodies } from '../http/limit-bodies.ts';
import { observeRequests } from '../http/observe-requests.ts';
import { refuseUnknownQueries } from '../http/refuse-unknown-queries.ts';
import { refuseUnknownRoutes } from '../http/refuse-unknown-routes.ts';
import type { ApiParts } from './api-parts.ts';
import { authorizeRequests } from './hooks/authorize-requests.ts';
import { countRequests } from './hooks/count-requests.ts';
import { shareWithOrigins } from './hooks/share-with-origins.ts';
import { parseMultipartBodies } from './requests/parse-multipart-bodies.ts';
import { apiKeyRoutes } from './routes/api-key-routes.ts';
import { auditEventRoute } from './routes/audit-event-route.ts';
import { cancelVideoRoute } from './routes/cancel-video.ts';
import { createOpenAiVideoRoute } from './routes/create-openai-video.ts';
import { createVideoRoutes } from './routes/create-video.ts';
import { deleteVideoRoute } from './routes/delete-video.ts';
import { documentRoutes } from './routes/document-routes.ts';
import { estimateVideoRoute } from './routes/estimate-video.ts';
import { fileRoutes } from './routes/file-routes.ts';
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
import { createDownloadLimit } from './streams/download-limit.ts';
import { createEventFrames } from './streams/event-frames.ts';
import { createLongLivedRequests } from './streams/long-lived-requests.ts';
import { createTaskFrames } from './streams/task-frames.ts';
import { decorateWaitForEnd } from './streams/wait-for-end.ts';

/** Enough to receive 14 MiB over a slow connection. Responses may take longer. */
export const requestTimeoutMilliseconds = 120_000;

/** Builds the whole public API: hooks in the order in which they run, then the routes. */
export function createApp(parts: ApiParts): FastifyInstance {
  const { clock, publicUrl } = parts;
  const app = createHttpApp(parts, { url: publicUrl, requestTimeoutMilliseconds });
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
    videoContentRoute(routes, { ...parts, downloads: createDownloadLimit(parts.downloadLimit) });
    videoTimelineRoute(routes, parts);
    videoEventsRoute(routes, streaming);
    projectEventsRoute(routes, streaming);
    modelRoutes(routes, parts);
    limitsRoute(routes, parts);
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
