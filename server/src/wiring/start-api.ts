import { setTimeout as pause } from 'node:timers/promises';
import { createBox } from '@kinora/boxes/box';
import { createApp } from '../api/app.ts';
import { presentTask } from '../api/presenters/present-task.ts';
import { createTaskLinks } from '../api/presenters/task-links.ts';
import { createUrlSigner } from '../api/presenters/url-signer.ts';
import { isDatabaseUnavailable } from '../db/database.ts';
import { createImages } from '../media/images.ts';
import { deleteFile, findFile } from '../operations/files/find-file.ts';
import { uploadFile } from '../operations/files/upload-file.ts';
import { authenticate } from '../operations/keys/authenticate.ts';
import { createKeyUse } from '../operations/keys/key-use.ts';
import { readUsage } from '../operations/projects/read-usage.ts';
import { acceptingPools } from '../operations/queue/accepting-pools.ts';
import { createOutlooks } from '../operations/queue/outlooks.ts';
import { createSpeeds } from '../operations/queue/speeds.ts';
import { createWaitingRoom } from '../operations/queue/waiting-room.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { type Accepted, createTask } from '../operations/tasks/create-task.ts';
import { deleteTask } from '../operations/tasks/delete-task.ts';
import { listTasks } from '../operations/tasks/list-tasks.ts';
import { readFile } from '../operations/tasks/read-file.ts';
import { readTask } from '../operations/tasks/read-task.ts';
import { readTimeline } from '../operations/tasks/read-timeline.ts';
import { createGuardedFetcher } from '../outbound/guarded-fetch.ts';
import { refusalOfUrl } from '../outbound/refusal-of-url.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { apiKeyParts } from './api-key-parts.ts';
import type { Foundation, Started } from './foundation.ts';
import { wirePromptWarnings } from './prompt-warnings.ts';
import type { ReadinessCheck } from './readiness.ts';
import { streamParts } from './stream-parts.ts';
import { wireApiWebhooks } from './wire-api-webhooks.ts';
import { outboundPolicy } from './wire-webhooks.ts';

/** Starts the public API on its own port. */
export async function startApi(foundation: Foundation, metrics: Metrics, readiness: ReadinessCheck): Promise<Started> {
  const { config, log, clock, db, catalogue, storage, workflows } = foundation;
  const box = await createBox({});
  const images = createImages({
    box,
    scratchRoot: config.KINORA_SCRATCH_FOLDER,
    poolSize: config.KINORA_MEDIA_CONCURRENCY,
  });
  const fetcher = createGuardedFetcher({
    allowHttp: config.KINORA_OUTBOUND_ALLOW_HTTP,
    allowedPorts: config.KINORA_OUTBOUND_ALLOWED_PORTS,
    allowedNetworks: config.KINORA_OUTBOUND_ALLOWED_NETWORKS,
  });
  const signer = createUrlSigner({ publicUrl: config.KINORA_PUBLIC_URL, secretKeys: config.KINORA_SECRET_KEYS, clock });
  const waitingRoom = createWaitingRoom({ db, clock, limit: config.KINORA_WAITING_LIMIT });
  const presentCreated = (accepted: Accepted) => JSON.stringify(presentTask({ ...accepted, live: null }, null));
  const keyUse = createKeyUse({ db, clock, log });
  const speeds = createSpeeds({ db, log });
  const outlooks = createOutlooks({ db, speeds, catalogue, clock });
  const streams = streamParts(foundation, outlooks);
  const app = createApp({
    log,
    clock,
    isDatabaseUnavailable,
    publicUrl: config.KINORA_PUBLIC_URL,
    catalogue,
    acceptingPools: () => acceptingPools({ db, clock }),
    speeds,
    allowHttpImages: config.KINORA_OUTBOUND_ALLOW_HTTP,
    refusalOfUrl: (url) => refusalOfUrl(url, outboundPolicy(config)),
    promptWarning: wirePromptWarnings(foundation.models),
    webhooks: wireApiWebhooks(foundation),
    authenticate: async (key) => {
      const caller = await authenticate({ db, clock }, key);
      keyUse.note(caller.keyId);
      return caller;
    },
    apiKeys: apiKeyParts(foundation),
    corsOrigins: config.KINORA_CORS_ORIGINS,
    createTask: (input) =>
      createTask({ db, catalogue, storage, images, fetcher, workflows, clock, waitingRoom, presentCreated }, input),
    readTask: async (caller, taskId) => outlooks.one(await readTask({ db }, caller, taskId)),
    listTasks: async (caller, query) => {
      const page = await listTasks({ db }, caller, query);
      return { ...page, views: await outlooks.add(page.views) };
    },
    cancelTask: async (caller, taskId) => {
      await cancelTask({ db, workflows, clock }, taskId, caller);
      return readTask({ db }, caller, taskId);
    },
    deleteTask: (caller, taskId) => deleteTask({ db, storage, workflows, clock, log }, caller, taskId),
    readUsage: (caller, request) =>
      readUsage({ db, clock, waitLimitHours: config.KINORA_TASK_WAIT_HOURS }, caller, request),
    readTimeline: (caller, taskId) => readTimeline({ db, clock }, caller, taskId),
    readFile: (taskId, variant, caller) => readFile({ db, storage, clock }, taskId, variant, caller),
    files: {
      upload: (caller, upload) => uploadFile({ db, images, storage, clock }, caller, upload),
      find: (caller, fileId) => findFile({ db, clock }, caller, fileId),
      delete: (caller, fileId) => deleteFile({ db, storage, clock }, caller, fileId),
    },
    links: createTaskLinks({ signer, storage, clock }),
    ...streams,
    signer,
    readiness: () => readiness.check(),
    onRouteTime: (...measured) => metrics.routeTime(...measured),
  });
  const url = await app.listen({ host: config.KINORA_HOST, port: config.KINORA_PORT });
  log.info({ event: 'api.listening', url, isolation: box.isolation }, 'API listening');
  return {
    close: async () => {
      // Load balancers notice only at their next probe that the process is not ready any more.
      await pause(config.KINORA_DRAIN_SECONDS * 1000);
      await app.close();
      await streams.hub.close();
      await keyUse.close();
      speeds.close();
      await images.close();
      await fetcher.close();
    },
  };
}
