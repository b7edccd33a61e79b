import Fastify, { type FastifyInstance } from 'fastify';
import type { Caller } from '../domain/caller.ts';
import type { Clock } from '../domain/clock.ts';
import type { GenerationRequest, GenerationType, Warning } from '../domain/generation-request.ts';
import type { Task } from '../domain/task.ts';
import { AppError } from '../errors.ts';
import type { FileVariant, ReadableFile } from '../operations/read-file.ts';
import type { Log } from '../telemetry/log.ts';
import { clientErrorAnswer } from './answer-client-errors.ts';
import { answerErrors, asAppError, sendError } from './answer-errors.ts';
import { authorizeRequests } from './authorize.ts';
import { commonHeaders } from './common-headers.ts';
import { parseJsonBodies } from './json-body.ts';
import { observeRequests } from './observe-requests.ts';
import { describeRoutes, documentRoutes } from './openapi.ts';
import type { TaskLinks, TaskView } from './present-task.ts';
import { refuseUnknownRoutes } from './refuse-unknown-routes.ts';
import { requestIdOf } from './request-id.ts';
import { createVideoRoutes } from './routes/create-video.ts';
import { healthRoutes } from './routes/health.ts';
import { readVideoRoute } from './routes/read-video.ts';
import { videoContentRoute } from './routes/video-content.ts';
import type { UrlSigner } from './signed-urls.ts';

/** What the API is handed. Each function throws AppError for what callers may know of. */
export interface ApiParts {
  log: Log;
  clock: Clock;
  /** Where callers reach the service; never taken from a request. */
  publicUrl: string;
  /** Whether an image_url may be plain http. */
  allowHttpImages: boolean;
  authenticate(key: string): Promise<Caller>;
  /** When it resolves the task is committed; `answered` is called once the answer is out, whether or not it arrived. */
  createTask(input: {
    caller: Caller;
    type: GenerationType;
    request: GenerationRequest;
    warnings: Warning[];
  }): Promise<{ view: TaskView; answered: () => void }>;
  readTask(caller: Caller, taskId: string): Promise<TaskView>;
  readFile(taskId: string, variant: FileVariant): Promise<ReadableFile>;
  /** Fresh URLs for the files of a task; null where it has none. */
  links(task: Task): Promise<TaskLinks | null>;
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
  const refuseOtherMethods = refuseUnknownRoutes(app);
  authorizeRequests(app, (key) => parts.authenticate(key));

  describeRoutes(app, publicUrl);
  app.register(async (routes) => {
    createVideoRoutes(routes, parts);
    readVideoRoute(routes, parts);
    videoContentRoute(routes, parts);
    healthRoutes(routes, parts);
    documentRoutes(routes, publicUrl);
  });
  app.register(refuseOtherMethods);
  return app;
}
