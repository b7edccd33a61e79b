import { setTimeout as pause } from 'node:timers/promises';
import type { Box } from '@kinora/boxes/box';
import { createApp } from '../api/app.ts';
import { isDatabaseUnavailable } from '../db/database.ts';
import { limits } from '../domain/limits.ts';
import type { ReadinessCheck } from '../health/readiness.ts';
import { listAuditEvents } from '../operations/audit/list-audit-events.ts';
import { readUsage } from '../operations/projects/read-usage.ts';
import { acceptingPools } from '../operations/queue/accepting-pools.ts';
import { createForecasts } from '../operations/queue/forecasts.ts';
import { createKnownSpeeds } from '../operations/queue/known-speeds.ts';
import { createProjectLimit } from '../operations/queue/project-limit.ts';
import { refusalOfUrl } from '../outbound/refusal-of-url.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { accessParts } from './access-parts.ts';
import { consoleOrigins } from './console-origins.ts';
import type { Foundation, Started } from './foundation.ts';
import { wirePromptWarnings } from './prompt-warnings.ts';
import { streamParts } from './stream-parts.ts';
import { taskParts } from './task-parts.ts';
import { wireApiWebhooks } from './wire-api-webhooks.ts';
import { wireTaskLinks } from './wire-task-links.ts';
import { receiverPolicy } from './wire-webhooks.ts';

/** Connections that may wait to be accepted. In a burst that exceeds Node's default of 511, the kernel drops some. */
const listenBacklog = 4_096;

/** Starts the public API on its own port. */
export async function startApi(
  foundation: Foundation,
  metrics: Metrics,
  readiness: ReadinessCheck,
  box: Box,
): Promise<Started> {
  const { config, log, clock, db, catalogue } = foundation;
  const speeds = createKnownSpeeds({ db, clock, log });
  const forecasts = createForecasts({ db, speeds, catalogue, clock });
  const reportLimit = createProjectLimit({ clock }, limits.reports);
  const access = accessParts(foundation);
  const tasks = taskParts(foundation, box, { forecasts, reportLimit });
  const streams = streamParts(foundation, forecasts);
  const app = createApp({
    ...access.parts,
    ...tasks.parts,
    ...streams,
    ...wireTaskLinks(foundation),
    ...settingsOf(foundation),
    log,
    clock,
    isDatabaseUnavailable,
    catalogue,
    acceptingPools: () => acceptingPools({ db }),
    mostWaiting: (project) => db.projectSlots.mostWaiting(project),
    speeds,
    promptWarning: wirePromptWarnings(foundation.models),
    webhooks: wireApiWebhooks(foundation),
    listAuditEvents: (caller, query) => reportLimit.run(caller, () => listAuditEvents({ db }, caller, query)),
    readUsage: (caller, request) =>
      reportLimit.run(caller, () =>
        readUsage({ db, clock, waitLimitHours: config.KINORA_TASK_WAIT_HOURS }, caller, request),
      ),
    readiness: () => readiness.check(),
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
      await tasks.close();
      await streams.hub.close();
      await access.close();
      speeds.close();
    },
  };
}

/** Returns what the operator decides about the API. */
function settingsOf({ config }: Foundation) {
  return {
    publicUrl: config.KINORA_PUBLIC_URL,
    hasDocs: config.KINORA_DOCS,
    trustedProxies: config.KINORA_TRUSTED_PROXIES,
    keylessPerMinute: config.KINORA_KEYLESS_REQUESTS_PER_MINUTE,
    connectionLimit: config.KINORA_CONNECTION_LIMIT,
    downloadLimit: config.KINORA_DOWNLOAD_LIMIT,
    allowHttpImages: config.KINORA_OUTBOUND_ALLOW_HTTP,
    refusalOfUrl: (url: string) => refusalOfUrl(url, receiverPolicy(config)),
    corsOrigins: [...consoleOrigins(config), ...config.KINORA_CORS_ORIGINS],
  };
}
