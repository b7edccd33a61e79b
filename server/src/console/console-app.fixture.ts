import type { InjectOptions } from 'fastify';
import { systemClock } from '../domain/clock.ts';
import type { SignedIn } from '../domain/console-session.ts';
import { newId, newProjectId } from '../domain/id.ts';
import { createLog } from '../telemetry/log.ts';
import { createConsoleApp } from './console-app.ts';
import type { ConsoleParts } from './console-parts.ts';

export const consoleUrl = 'https://console.example.com';
export const clock = { ...systemClock, moment: new Date('2026-11-18T12:00:00Z'), now: () => clock.moment };
export const projectId = newProjectId(clock.moment);

/** Makes somebody who is signed in; `projectId` is their project. */
export function signedInAs(
  who: 'operator' | 'admin' | 'developer' | 'viewer' | 'stranger',
  signedInAt = clock.moment,
): SignedIn {
  const person = {
    id: newId('person', clock.moment),
    email: `${who}@example.com`,
    name: who,
    isOperator: who === 'operator',
    createdAt: clock.moment,
    lastSignedInAt: clock.moment,
    disabledAt: null,
  };
  const session = {
    id: newId('sess', clock.moment),
    personId: person.id,
    method: 'password' as const,
    createdAt: signedInAt,
    signedInAt,
    lastUsedAt: signedInAt,
    expiresAt: new Date(signedInAt.getTime() + 168 * 3_600_000),
    address: null,
    userAgent: null,
  };
  const isMember = who === 'admin' || who === 'developer' || who === 'viewer';
  return { person, session, roles: new Map(isMember ? [[projectId, who]] : []) };
}

/** The secret of the cookie with which everybody is signed in. */
export const secret = 'c'.repeat(43);
export const cookie = `__Host-kinora_session=${secret}`;

const refuse = (): never => {
  throw new Error('not expected');
};

export const parts: ConsoleParts = {
  log: createLog({ level: 'silent', roles: ['test'] }),
  clock,
  isDatabaseUnavailable: () => false,
  consoleUrl,
  apiUrl: 'https://video.example.com',
  storeOrigin: null,
  otherOrigins: [],
  environment: 'production',
  version: '1.2.3',
  trustedProxies: [],
  keylessPerMinute: 600,
  connectionLimit: 100,
  files: { find: refuse },
  findSession: async (given) => (given === secret ? signedInAs('operator') : null),
  listMemberships: async () => [{ projectId, name: 'first', role: 'admin', isSuspended: false }],
  signIn: {
    openIdName: null,
    asDeveloper: null,
    needsFirstOperator: async () => false,
    withPassword: refuse,
    asFirstOperator: refuse,
    withLink: refuse,
    confirm: refuse,
    changePassword: refuse,
  },
  sessions: { list: async () => [], end: async () => undefined },
  makeToken: refuse,
  operators: {
    readEngineBoard: refuse,
    setDrained: refuse,
    listBacklog: refuse,
    checkHealth: refuse,
    readRoles: refuse,
    runDoctor: refuse,
    listAuditEvents: refuse,
  },
  openid: null,
  people: { list: refuse, create: refuse, change: refuse, resetPassword: refuse },
  members: { list: refuse, add: refuse, setRole: refuse, remove: refuse, listCallers: refuse },
  projects: { list: refuse, create: refuse, change: refuse },
  readiness: async () => ({ ready: true, checks: {}, isolation: null }),
  onConnectionClosed: () => undefined,
  onRouteTime: () => undefined,
};

/** Returns a console with these parts changed, and a function that sends requests as its own pages do. */
export function startConsoleApp(changes: Partial<ConsoleParts> = {}) {
  const app = createConsoleApp({ ...parts, ...changes });
  return {
    app,
    send: (options: InjectOptions) =>
      app.inject({
        ...options,
        headers: {
          cookie,
          ...(options.method === undefined || options.method === 'GET'
            ? {}
            : { 'content-type': 'application/json', 'x-kinora-console': '1', origin: consoleUrl }),
          ...options.headers,
        },
      }),
  };
}
