import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { createConsoleApp } from '../console/console-app.ts';
import type { DoctorReport } from '../console/operator-parts.ts';
import { readStaticFiles } from '../console/static-files.ts';
import { isDatabaseUnavailable } from '../db/database.ts';
import type { ReadinessCheck } from '../health/readiness.ts';
import { makeFirstOperatorLink } from '../operations/people/make-first-operator.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { viteOrigin } from './console-origins.ts';
import type { Foundation, Started } from './foundation.ts';
import { wireConsoleSessions } from './wire-console-sessions.ts';
import { wireOperators } from './wire-operators.ts';
import { wirePeople } from './wire-people.ts';

/** Starts the console on its own port. */
export async function startConsole(
  foundation: Foundation,
  metrics: Metrics,
  readiness: ReadinessCheck,
  runDoctor: (() => Promise<DoctorReport>) | null,
): Promise<Started> {
  const { config, log, clock } = foundation;
  const { KINORA_ENV: environment, KINORA_S3_PUBLIC_ENDPOINT: storeUrl } = config;
  const app = createConsoleApp({
    ...wirePeople(foundation),
    log,
    clock,
    isDatabaseUnavailable,
    consoleUrl: config.KINORA_CONSOLE_URL,
    apiUrl: config.KINORA_PUBLIC_URL.replace(/\/+$/, ''),
    storeOrigin: storeUrl === null ? null : new URL(storeUrl).origin,
    otherOrigins: environment === 'development' ? [viteOrigin] : [],
    environment,
    version: packageJson.version,
    trustedProxies: config.KINORA_TRUSTED_PROXIES,
    keylessPerMinute: config.KINORA_KEYLESS_REQUESTS_PER_MINUTE,
    connectionLimit: config.KINORA_CONNECTION_LIMIT,
    files: await readStaticFiles(filesFolder()),
    ...wireConsoleSessions(foundation),
    operators: wireOperators(foundation, runDoctor),
    readiness: () => readiness.check(),
    onConnectionClosed: (reason) => metrics.connectionClosed(reason),
    onRouteTime: (...measured) => metrics.routeTime(...measured),
  });
  const url = await app.listen({ host: config.KINORA_CONSOLE_HOST, port: config.KINORA_CONSOLE_PORT });
  log.info({ event: 'console.listening', url }, 'console listening');
  await logFirstOperatorLink(foundation);
  return { close: () => app.close() };
}

/** The built console: next to the program in a build, and in its own package among the sources. */
function filesFolder(): string {
  const inBuild = join(import.meta.dirname, 'console');
  return existsSync(join(inBuild, 'index.html')) ? inBuild : join(import.meta.dirname, '../../../console/dist');
}

/** The log is the one place that only the person who runs the server can read, before anybody can sign in. */
async function logFirstOperatorLink({ config, log, clock, db }: Foundation): Promise<void> {
  try {
    const link = await makeFirstOperatorLink({ db, clock }, config.KINORA_CONSOLE_URL);
    if (link !== null)
      log.warn({ event: 'console.needs_operator', link }, 'no operator yet, open the link to become one');
  } catch (error) {
    log.error({ event: 'console.link_failed', err: error }, 'link for the first operator not made');
  }
}
