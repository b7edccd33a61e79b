import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopbackName } from '@kinora/settings/own-host';
import packageJson from '../../package.json' with { type: 'json' };
import { createConsoleApp } from '../console/console-app.ts';
import type { ConsoleParts } from '../console/console-parts.ts';
import type { DoctorReport } from '../console/operator-parts.ts';
import { readStaticFiles } from '../console/static-files.ts';
import { isDatabaseUnavailable } from '../db/database.ts';
import { AppError } from '../errors.ts';
import { endSession } from '../operations/people/end-session.ts';
import { findSession } from '../operations/people/find-session.ts';
import { listMemberships } from '../operations/people/list-memberships.ts';
import { signInDeveloper } from '../operations/people/sign-in-developer.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { viteOrigin } from './console-origins.ts';
import type { Foundation, Started } from './foundation.ts';
import type { ReadinessCheck } from './readiness.ts';
import { wireOperators } from './wire-operators.ts';
import { wirePeople } from './wire-people.ts';

/** Starts the console on its own port. */
export async function startConsole(
  foundation: Foundation,
  metrics: Metrics,
  readiness: ReadinessCheck,
  runDoctor: (() => Promise<DoctorReport>) | null,
): Promise<Started> {
  const { config, log, clock, db } = foundation;
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
    findSession: (secret) => findSession({ db, clock }, secret),
    listMemberships: (signedIn) => listMemberships({ db }, signedIn),
    signIn: wireSignIn(foundation),
    sessions: {
      list: (personId) => db.consoleSessions.ofPerson(personId, clock.now()),
      end: (...request) => endSession({ db, clock }, ...request),
    },
    makeToken: async () => {
      throw new AppError('internal_error');
    },
    operators: wireOperators(foundation, runDoctor),
    readiness: () => readiness.check(),
    onConnectionClosed: (reason) => metrics.connectionClosed(reason),
    onRouteTime: (...measured) => metrics.routeTime(...measured),
  });
  const url = await app.listen({ host: config.KINORA_CONSOLE_HOST, port: config.KINORA_CONSOLE_PORT });
  log.info({ event: 'console.listening', url }, 'console listening');
  return { close: () => app.close() };
}

/** The built console: next to the program in a build, and in its own package among the sources. */
function filesFolder(): string {
  const inBuild = join(import.meta.dirname, 'console');
  return existsSync(join(inBuild, 'index.html')) ? inBuild : join(import.meta.dirname, '../../../console/dist');
}

function wireSignIn({ config, db, clock }: Foundation): ConsoleParts['signIn'] {
  const isLoopback = [config.KINORA_CONSOLE_HOST, new URL(config.KINORA_CONSOLE_URL).hostname].every(isLoopbackName);
  const sessionHours = config.KINORA_CONSOLE_SESSION_HOURS;
  return {
    openIdName: config.KINORA_OPENID_ISSUER === null ? null : config.KINORA_OPENID_NAME,
    asDeveloper:
      config.KINORA_ENV === 'development' && isLoopback
        ? (origin) => signInDeveloper({ db, clock, sessionHours }, origin)
        : null,
    needsFirstOperator: async () => !(await db.people.hasOperator()),
  };
}
