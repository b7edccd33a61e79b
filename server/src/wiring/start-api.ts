import { setTimeout as pause } from 'node:timers/promises';
import type { Box } from '@kinora/boxes/box';
import { createApp } from '../api/app.ts';
import { presentTask } from '../api/presenters/present-task.ts';
import { isDatabaseUnavailable } from '../db/database.ts';
import { createImages } from '../media/images.ts';
import { listAuditEvents } from '../operations/audit/list-audit-events.ts';
import { deleteFile, findFile } from '../operations/files/find-file.ts';
import { createImageIntakes } from '../operations/files/image-intakes.ts';
import { uploadFile } from '../operations/files/upload-file.ts';
import { createAuthenticator } from '../operations/keys/authenticator.ts';
import { createKeyUse } from '../operations/keys/key-use.ts';
import { createRefusedKeys } from '../operations/keys/refused-keys.ts';
import { readUsage } from '../operations/projects/read-usage.ts';
import { createReportTurns } from '../operations/projects/report-turns.ts';
import { acceptingPools } from '../operations/queue/accepting-pools.ts';
import { createOutlooks } from '../operations/queue/outlooks.ts';
import { createSpeeds } from '../operations/queue/speeds.ts';
import { createWaitingRoom } from '../operations/queue/waiting-room.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { type Accepted, createTask } from '../operations/tasks/create-task.ts';
import { createCreateTurns } from '../operations/tasks/create-turns.ts';
import { deleteTask } from '../operations/tasks/delete-task.ts';
import { listTasks } from '../operations/tasks/list-tasks.ts';
import { readFile } from '../operations/tasks/read-file.ts';
import { readTask } from '../operations/tasks/read-task.ts';
import { readTimeline } from '../operations/tasks/read-timeline.ts';
import { acceptTokens } from '../operations/tokens/accept-tokens.ts';
import { createAccessTokens } from '../operations/tokens/access-tokens.ts';
import { grantAccessToken } from '../operations/tokens/grant-access-token.ts';
import { refusalOfUrl } from '../outbound/refusal-of-url.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { apiKeyParts } from './api-key-parts.ts';
import { consoleOrigins } from './console-origins.ts';
import { type Foundation, type Started, wireStorage } from './foundation.ts';
import { wirePromptWarnings } from './prompt-warnings.ts';
import type { ReadinessCheck } from './readiness.ts';
import { streamParts } from './stream-parts.ts';
import { wireApiWebhooks } from './wire-api-webhooks.ts';
import { wireTaskLinks } from './wire-task-links.ts';
import { receiverPolicy, wireFetcher } from './wire-webhooks.ts';

/** More than one project may have under way, so that none can lock the others out of a server that they share. */
const fetchesPerAddress = { fetches: 6, waitMilliseconds: 5_000 };
/** Connections that may wait to be accepted. In a burst that exceeds Node's default of 511, the kernel drops some. */
const listenBacklog = 4_096;

/** Starts the public API on its own port. */
export async function startApi(
  foundation: Foundation,
  metrics: Metrics,
  readiness: ReadinessCheck,
  box: Box,
): Promise<Started> {
  const { config, log, clock, db, catalogue, storage, workflows } = foundation;
  const images = createImages({
    box,
    scratchRoot: config.KINORA_SCRATCH_FOLDER,
    poolSize: config.KINORA_MEDIA_CONCURRENCY,
  });
  const fetcher = wireFetcher(config, { perAddress: fetchesPerAddress });
  const imageIntakes = createImageIntakes({ clock });
  const waitingRoom = createWaitingRoom({ db, clock, limit: config.KINORA_WAITING_LIMIT });
  const presentCreated = (accepted: Accepted) => JSON.stringify(presentTask({ ...accepted, live: null }, null));
  const accessTokens = createAccessTokens({ secretKeys: config.KINORA_SECRET_KEYS, clock });
  const authenticator = acceptTokens({
    db,
    clock,
    accessTokens,
    authenticator: createAuthenticator({ db, clock, log }),
  });
  const keyUse = createKeyUse({ db, clock, log });
  const refusedKeys = createRefusedKeys({ db, clock, log });
  const speeds = createSpeeds({ db, clock, log });
  const outlooks = createOutlooks({ db, speeds, catalogue, clock });
  const reportTurns = createReportTurns({ clock });
  const createTurns = createCreateTurns({ clock });
  const creating = {
    db,
    catalogue,
    storage,
    images,
    fetcher,
    imageIntakes,
    workflows,
    clock,
    waitingRoom,
    presentCreated,
  };
  const streams = streamParts(foundation, outlooks);
  // Slow callers hold its connections, so nothing else may need them.
  const downloads = wireStorage(config, config.KINORA_DOWNLOAD_LIMIT);
  const app = createApp({
    log,
    clock,
    isDatabaseUnavailable,
    publicUrl: config.KINORA_PUBLIC_URL,
    hasDocs: config.KINORA_DOCS,
    trustedProxies: config.KINORA_TRUSTED_PROXIES,
    keylessPerMinute: config.KINORA_KEYLESS_REQUESTS_PER_MINUTE,
    catalogue,
    acceptingPools: () => acceptingPools({ db }),
    speeds,
    allowHttpImages: config.KINORA_OUTBOUND_ALLOW_HTTP,
    refusalOfUrl: (url) => refusalOfUrl(url, receiverPolicy(config)),
    promptWarning: wirePromptWarnings(foundation.models),
    webhooks: wireApiWebhooks(foundation),
    authenticate: async (...request) => {
      const { caller, view: foundTask } = await authenticator.authenticate(...request);
      keyUse.note(caller.keyId);
      return { ...caller, foundTask };
    },
    noteRefusedKey: (...refused) => refusedKeys.note(...refused),
    listAuditEvents: (caller, query) => reportTurns.take(caller, () => listAuditEvents({ db }, caller, query)),
    apiKeys: apiKeyParts(foundation),
    corsOrigins: [...consoleOrigins(config), ...config.KINORA_CORS_ORIGINS],
    createToken: (caller, token) => grantAccessToken({ db, clock, accessTokens }, caller, token),
    createTask: (input) => {
      const create = () => createTask(creating, input);
      // Creates with an image have turns of their own, which last until the image is stored.
      return input.request.imageUrl === null ? createTurns.take(input.caller, create) : create();
    },
    readTask: async (...request) => outlooks.one(await readTask({ db }, ...request)),
    listTasks: async (caller, query) => {
      const page = await reportTurns.take(caller, () => listTasks({ db, clock }, caller, query));
      return { ...page, views: await outlooks.add(page.views) };
    },
    cancelTask: async (caller, taskId) => {
      await cancelTask({ db, workflows, clock }, taskId, caller);
      return readTask({ db }, caller, taskId);
    },
    deleteTask: (caller, taskId) => deleteTask({ db, storage, workflows, clock, log }, caller, taskId),
    readUsage: (caller, request) =>
      reportTurns.take(caller, () =>
        readUsage({ db, clock, waitLimitHours: config.KINORA_TASK_WAIT_HOURS }, caller, request),
      ),
    readTimeline: (caller, taskId) => readTimeline({ db, clock }, caller, taskId),
    readFile: (...request) => readFile({ db, storage: downloads, clock }, ...request),
    files: {
      upload: (caller, upload) =>
        imageIntakes.run(caller.projectId, () => uploadFile({ db, images, storage, clock }, caller, upload)),
      find: (caller, fileId) => findFile({ db, clock }, caller, fileId),
      delete: (caller, fileId) => deleteFile({ db, storage, clock }, caller, fileId),
    },
    ...wireTaskLinks(foundation),
    ...streams,
    readiness: () => readiness.check(),
    connectionLimit: config.KINORA_CONNECTION_LIMIT,
    downloadLimit: config.KINORA_DOWNLOAD_LIMIT,
    onConnectionClosed: (reason) => metrics.connectionClosed(reason),
    onRouteTime: (...measured) => metrics.routeTime(...measured),
  });
  const url = await app.listen({ host: config.KINORA_HOST, port: config.KINORA_PORT, backlog: listenBacklog });
  log.info({ event: 'api.listening', url }, 'API listening');
  // Loads the clients of Temporal and of the store, and connects, so that the first caller does not wait for it.
  void readiness.check();
  return {
    close: async () => {
      // Load balancers notice only at their next probe that the process is not ready any more.
      await pause(config.KINORA_DRAIN_SECONDS * 1000);
      await app.close();
      downloads.close();
      await streams.hub.close();
      await keyUse.close();
      await refusedKeys.close();
      speeds.close();
      await images.close();
      await fetcher.close();
    },
  };
}
