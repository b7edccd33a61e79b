import Fastify, { type FastifyInstance } from 'fastify';
import type { ApiKey } from '../db/api-keys.ts';
import type { StoredFile } from '../db/files.ts';
import type { Caller } from '../domain/caller.ts';
import type { Catalogue } from '../domain/catalogue.ts';
import type { Clock } from '../domain/clock.ts';
import type { Task } from '../domain/task.ts';
import type { Timeline } from '../domain/timeline.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import type { TaskHub } from '../live/task-hub.ts';
import type { ToldEvent } from '../live/watched-project.ts';
import type { IssuedApiKey } from '../operations/keys/create-api-key.ts';
import type { GrantedKey } from '../operations/keys/grant-api-key.ts';
import type { Usage, UsageRequest } from '../operations/projects/read-usage.ts';
import type { Speeds } from '../operations/queue/speeds.ts';
import type { CreatedTask, CreateTaskInput } from '../operations/tasks/create-task.ts';
import type { TaskListQuery } from '../operations/tasks/list-tasks.ts';
import type { FileVariant, ReadableFile } from '../operations/tasks/read-file.ts';
import type { Log } from '../telemetry/log.ts';
import type { ApiWebhooks } from './api-webhooks.ts';
import { answerErrors, asAppError, sendError } from './hooks/answer-errors.ts';
import { authorizeRequests } from './hooks/authorize-requests.ts';
import { clientErrorAnswer } from './hooks/client-error-answer.ts';
import { commonHeaders } from './hooks/common-headers.ts';
import { countRequests } from './hooks/count-requests.ts';
import { observeRequests } from './hooks/observe-requests.ts';
import { refuseUnknownRoutes } from './hooks/refuse-unknown-routes.ts';
import { shareWithOrigins } from './hooks/share-with-origins.ts';
import { describeRoutes, documentRoutes } from './openapi.ts';
import type { TaskLinks, TaskView } from './presenters/present-task.ts';
import type { UrlSigner } from './presenters/url-signer.ts';
import { parseJsonBodies } from './requests/parse-json-bodies.ts';
import { parseMultipartBodies } from './requests/parse-multipart-bodies.ts';
import type { PromptWarning } from './requests/prompt-warning.ts';
import type { RefusalOfUrl } from './requests/receiver-url-problem.ts';
import { requestIdOf } from './requests/request-id.ts';
import { apiKeyRoutes } from './routes/api-key-routes.ts';
import { cancelVideoRoute } from './routes/cancel-video.ts';
import { createOpenVideoRoute } from './routes/create-open-video.ts';
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
import { createLastingRequests } from './streams/lasting-requests.ts';
import { createTaskFrames } from './streams/task-frames.ts';
import { waitForEnds } from './streams/wait-for-end.ts';

/** What the API is handed. Each function throws AppError for what callers may know of. */
export interface ApiParts {
  log: Log;
  clock: Clock;
  /** Where callers reach the service; never taken from a request. */
  publicUrl: string;
  /** The models there are now; the operator may change them at any time. */
  catalogue(): Catalogue;
  /** The pools that have an endpoint which would take a job now. */
  openPools(): Promise<ReadonlySet<string>>;
  /** How long models take, as it was measured. */
  speeds: Pick<Speeds, 'find' | 'of'>;
  /** Whether an image_url may be plain http. */
  allowHttpImages: boolean;
  /** Why a webhook's URL can never be called, as far as that shows at once. */
  refusalOfUrl: RefusalOfUrl;
  promptWarning: PromptWarning;
  webhooks: ApiWebhooks;
  /** Whose pages may call the API; signed URLs are for all pages. */
  corsOrigins: readonly string[];
  authenticate(key: string): Promise<Caller>;
  /** The keys of the caller's project and mode. */
  apiKeys: {
    list(
      caller: Caller,
      page: { after: string | null; limit: number; order: 'asc' | 'desc' },
    ): Promise<{ keys: ApiKey[]; hasMore: boolean }>;
    create(caller: Caller, key: GrantedKey): Promise<IssuedApiKey>;
    rotate(caller: Caller, keyId: string, overlapSeconds: number): Promise<IssuedApiKey>;
    revoke(caller: Caller, keyId: string): Promise<void>;
  };
  /** When it resolves the task is committed; `answered` is called once the answer is out, whether or not it arrived. */
  createTask(input: CreateTaskInput): Promise<CreatedTask>;
  readTask(caller: Caller, taskId: string): Promise<TaskView>;
  listTasks(
    caller: Caller,
    query: TaskListQuery,
  ): Promise<{ views: TaskView[]; hasMore: boolean; activeTasks: number; readsPerMinute: number }>;
  /** The task, already cancelled. */
  cancelTask(caller: Caller, taskId: string): Promise<TaskView>;
  deleteTask(caller: Caller, taskId: string): Promise<void>;
  readTimeline(caller: Caller, taskId: string): Promise<Timeline>;
  /** Of the caller's project and mode. */
  readUsage(caller: Caller, request: UsageRequest): Promise<Usage>;
  /** Without a caller for whoever holds a signed URL. */
  readFile(taskId: string, variant: FileVariant, caller: Caller | null): Promise<ReadableFile>;
  /** Uploaded images of the caller's project and mode. */
  files: {
    upload(caller: Caller, upload: { name: string | null; bytes: Uint8Array }): Promise<StoredFile>;
    find(caller: Caller, fileId: string): Promise<StoredFile>;
    delete(caller: Caller, fileId: string): Promise<void>;
  };
  /** Tells what changes while it changes. */
  hub: Pick<TaskHub, 'watchTask' | 'watchProject'>;
  /** A task for whoever holds a signed URL of it. */
  readSignedTask(taskId: string): Promise<TaskView>;
  /** A page of events after a UUID; `next`: where the next page begins, null: there is none yet. */
  readEvents(
    owner: Pick<Caller, 'projectId' | 'livemode'>,
    after: string,
    limit: number,
  ): Promise<{ told: ToldEvent[]; next: string | null }>;
  /** Which of these keys are no longer let in, and why. */
  refusedKeys(keyIds: readonly string[]): Promise<ReadonlyMap<string, ErrorCode>>;
  /** Fresh URLs for a task. */
  links(task: Task): Promise<TaskLinks>;
  signer: UrlSigner;
  readiness(): Promise<{ ready: boolean; checks: Record<string, 'ok' | 'degraded' | 'failed'> }>;
  onRouteTime(route: string, method: string, status: number, seconds: number): void;
}

const bodyLimitBytes = 64 * 1024;
const urlLimit = 8192;
/** Enough for 14 MiB over a slow line. What is sent back may take as long as it takes. */
const requestTimeoutMilliseconds = 120_000;

/** The whole public API: hooks in the order in which they run, then the routes. */
export function createApp(parts: ApiParts): FastifyInstance {
  const { log, clock, publicUrl } = parts;
  const app = Fastify({
    // Its request lines would hold signed URLs; ours are in observe-requests.ts.
    logger: false,
    genReqId: ({ headers }) => requestIdOf(headers['x-request-id'], clock),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMilliseconds,
    routerOptions: { maxParamLength: urlLimit },
    // Node's own answer has no body; the hook below refuses it with ours.
    http: { requireHostHeader: false },
    // What is under way while the server closes is served to its end.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: clientErrorAnswer(clock),
    // An address that cannot be decoded: no hook runs for it.
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(request.id));
      sendError(asAppError(error, request), request, reply);
    },
  });
  // Bodies are read by the routes, which list every problem; Fastify's validator would coerce and drop.
  app.setValidatorCompiler(() => () => true);
  // Presenters decide what leaves; a serialiser made from the schema would leave out in silence what that does not name.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  parseJsonBodies(app);
  answerErrors(app, log);

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

  // Streams and waits would keep a server that closes open for ever.
  const lasting = createLastingRequests(parts);
  app.addHook('preClose', async () => lasting.close());
  waitForEnds(app, parts, lasting);
  const streaming = {
    ...parts,
    lasting,
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
      createOpenVideoRoute(forms, parts);
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
