import { askConsole, type ConsoleResponse, signIn, tokenOf } from '@kinora/stack/harness/console-client';
import { createObject, createObjects } from '@kinora/stack/harness/create-objects';
import { connectTo } from '@kinora/stack/harness/open-database';
import { type Operation, operationsOf } from '@kinora/stack/harness/openapi-operations';
import { type ObjectIds, operationRequests, pathFor, unknownIds } from '@kinora/stack/harness/operation-requests';
import { neverRunning } from '@kinora/stack/harness/project-limits';
import { send } from '@kinora/stack/harness/send-request';
import type { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { command, commandOutcome } from './operator-command.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { startConsole } from './second-api.ts';

const { url: apiUrl, environment } = inject('world');

/** `stranger` is the admin of another project. */
const callers = ['anonymous', 'stranger', 'viewer', 'developer', 'admin', 'operator'] as const;
type CallerName = (typeof callers)[number];
type PersonName = Exclude<CallerName, 'anonymous'>;

interface Account {
  id: string;
  email: string;
  password: string;
  cookie: string;
}

/** Who may send a request: anybody, everybody who is signed in, those with a role in the project, or operators. */
type Needs = 'anyone' | 'person' | 'viewer' | 'admin' | 'operator';

interface ConsoleRequest {
  needs: Needs;
  /** The status for those who may; 200 by default. */
  status?: number;
  /** Makes what the request needs anew, because those who may use it up. Returns values for the path and the body. */
  prepare?: (caller: CallerName) => Promise<{ path?: Record<string, string>; body?: unknown; cookie?: string }>;
  body?: unknown;
}

let consoleUrl: string;
let close: () => Promise<void>;
let database: Client;
let project: OwnProject;
let otherProject: OwnProject;
let unknownProjectId: string;
const accounts = new Map<PersonName, Account>();

const accountOf = (name: PersonName): Account => {
  const account = accounts.get(name);
  if (!account) throw new Error(`there is no account ${name}`);
  return account;
};
let requestCount = 0;
let people = 0;
const newEmail = () => `access${(people += 1)}@example.com`;

/** Returns the header of a new address: refused requests count against the limits of an address. */
const fromNewAddress = () => ({
  'x-forwarded-for': `10.${(requestCount += 1) >> 16}.${(requestCount >> 8) & 255}.${requestCount & 255}`,
});

/** Sends a request as a page of the console does. */
const ask = (
  method: string,
  path: string,
  { headers = {}, ...rest }: { cookie?: string | undefined; body?: unknown; headers?: Record<string, string> } = {},
) => askConsole(consoleUrl, method, path, { ...rest, headers: { ...fromNewAddress(), ...headers } });

const cookieFrom = async (path: string, body: object) =>
  (await signIn(consoleUrl, path, body, fromNewAddress())).cookie;
const signInAs = ({ email, password }: Account) => cookieFrom('/sign-in', { email, password });
const sessionOf = async (cookie: string) =>
  (await ask('GET', '/session', { cookie })).body as unknown as {
    signed_in: boolean;
    person: { id: string };
    session: { id: string };
  };
const asOperator = (method: string, path: string, body?: unknown) =>
  ask(method, path, { cookie: accountOf('operator').cookie, body });

/** Adds somebody new to a project, who has not signed in yet. */
async function addMember(projectId: string, role: string) {
  const email = newEmail();
  const { body } = await asOperator('POST', `/projects/${projectId}/members`, { email, role });
  const { member, setup_url: link } = body as unknown as { member: { person_id: string }; setup_url: string };
  return { id: member.person_id, email, link };
}

async function createAccount(name: PersonName, projectId: string, role: string): Promise<void> {
  const { id, email, link } = await addMember(projectId, role);
  const password = `the password of ${name} is long`;
  const cookie = await cookieFrom('/password-reset', { token: tokenOf(link), password });
  accounts.set(name, { id, email, password, cookie });
}

beforeAll(async () => {
  const started = await startConsole('console-access', async () => ({ KINORA_TRUSTED_PROXIES: '127.0.0.0/8' }));
  ({ url: consoleUrl, close } = started);
  database = await connectTo(environment['KINORA_DATABASE_URL'] ?? '');
  project = await ownProject('the console', neverRunning);
  otherProject = await ownProject('another one', neverRunning);
  unknownProjectId = `${project.projectId.slice(0, -4)}0000`;
  const email = newEmail();
  const password = 'the password of operator is long';
  const token = tokenOf(await command('people', 'first-operator'));
  const cookie = await cookieFrom('/first-operator', { token, email, name: 'Operator', password });
  accounts.set('operator', { id: (await sessionOf(cookie)).person.id, email, password, cookie });
  for (const role of ['viewer', 'developer', 'admin'] as const) await createAccount(role, project.projectId, role);
  await createAccount('stranger', otherProject.projectId, 'admin');
});
afterAll(async () => {
  await database?.end();
  await close?.();
});

const otherSession = async (caller: CallerName) =>
  caller === 'anonymous' ? undefined : await signInAs(accountOf(caller));
/** For requests that end the session of their cookie. */
const otherCookie = async (caller: CallerName) => {
  const cookie = await otherSession(caller);
  return cookie === undefined ? {} : { cookie };
};
const passwordOf = (caller: CallerName) => (caller === 'anonymous' ? '' : accountOf(caller).password);
const newMemberPath = async () => ({ path: { person_id: (await addMember(project.projectId, 'viewer')).id } });
const bogus = { token: 'x'.repeat(43), password: 'a password that is long' };

/** Every route of /console-api, with a request that succeeds. Written by hand: it says who should, not who may. */
const requests: Record<string, ConsoleRequest> = {
  'GET /session': { needs: 'anyone' },
  'POST /sign-in': {
    needs: 'anyone',
    prepare: async (caller) => ({
      body: { email: accountOf('viewer').email, password: passwordOf('viewer') },
      ...(await otherCookie(caller)),
    }),
  },
  'POST /sign-in/development': { needs: 'anyone', status: 404 },
  'POST /first-operator': { needs: 'anyone', status: 403, body: { ...bogus, email: 'a@example.com', name: 'A' } },
  'POST /password-reset': { needs: 'anyone', status: 403, body: bogus },
  'GET /openid/start': { needs: 'anyone', status: 404 },
  'GET /openid/callback': { needs: 'anyone', status: 404 },
  'POST /confirm': { needs: 'person', prepare: async (caller) => ({ body: { password: passwordOf(caller) } }) },
  'POST /password': {
    needs: 'person',
    status: 204,
    prepare: async (caller) => ({ body: { password: passwordOf(caller), new_password: passwordOf(caller) } }),
  },
  'POST /sign-out': {
    needs: 'person',
    status: 204,
    prepare: otherCookie,
  },
  'GET /sessions': { needs: 'person' },
  'DELETE /sessions/:session_id': {
    needs: 'person',
    status: 204,
    prepare: async (caller) => {
      const cookie = (await otherSession(caller)) ?? accountOf('viewer').cookie;
      return { path: { session_id: (await sessionOf(cookie)).session.id } };
    },
  },
  'POST /tokens': { needs: 'viewer', prepare: async () => ({ body: tokenBody(project.projectId) }) },
  'GET /projects/:project_id/callers': { needs: 'viewer' },
  'GET /projects/:project_id/members': { needs: 'admin' },
  'POST /projects/:project_id/members': {
    needs: 'admin',
    prepare: async () => ({ body: { email: newEmail(), role: 'viewer' } }),
  },
  'PUT /projects/:project_id/members/:person_id': {
    needs: 'admin',
    prepare: newMemberPath,
    body: { role: 'developer' },
  },
  'DELETE /projects/:project_id/members/:person_id': { needs: 'admin', status: 204, prepare: newMemberPath },
  'GET /people': { needs: 'operator' },
  'POST /people': { needs: 'operator', prepare: async () => ({ body: { email: newEmail() } }) },
  'PATCH /people/:person_id': { needs: 'operator', prepare: newMemberPath, body: { name: 'Renamed' } },
  'POST /people/:person_id/password-reset': { needs: 'operator', prepare: newMemberPath },
  'GET /projects': { needs: 'operator' },
  'POST /projects': { needs: 'operator', body: { name: 'made in the console' } },
  'PATCH /projects/:project_id': { needs: 'operator', body: { weight: 1 } },
  'GET /engines': { needs: 'operator' },
  // Other tests use the only engine, so it is not drained here.
  'POST /engines/:endpoint_id/drain': { needs: 'operator', status: 404 },
  'POST /engines/:endpoint_id/resume': { needs: 'operator', status: 404 },
  'GET /backlog': { needs: 'operator' },
  'GET /health': { needs: 'operator' },
  'POST /doctor': { needs: 'operator' },
  'GET /audit-events': { needs: 'operator' },
};

const tokenBody = (projectId: string) => ({ project_id: projectId, livemode: false });

const ranks: readonly string[] = ['viewer', 'developer', 'admin', 'operator'];

/** Returns the error that a caller should get; null if the request should succeed. */
function refusalFor(needs: Needs, caller: CallerName): string | null {
  if (needs === 'anyone') return null;
  if (caller === 'anonymous') return 'not_signed_in';
  if (needs === 'person') return null;
  if (caller === 'stranger') return needs === 'operator' ? 'insufficient_role' : 'not_found';
  return ranks.indexOf(caller) >= ranks.indexOf(needs) ? null : 'insufficient_role';
}

async function request(
  route: string,
  caller: CallerName,
  { projectId = project.projectId } = {},
): Promise<ConsoleResponse> {
  const { prepare, body } = requests[route] ?? {};
  const prepared = (await prepare?.(caller)) ?? {};
  const ids: Record<string, string> = { project_id: projectId, endpoint_id: 'unknown', ...prepared.path };
  const [method = '', path = ''] = route.split(' ');
  const sent = prepared.body ?? body;
  return ask(
    method,
    path.replaceAll(/:(\w+)/g, (all, name: string) => ids[name] ?? all),
    {
      cookie: prepared.cookie ?? (caller === 'anonymous' ? undefined : accountOf(caller).cookie),
      body: route === 'POST /tokens' ? tokenBody(projectId) : sent,
    },
  );
}

interface ListedRoute {
  role: string;
  route: string;
  access: string | { role: string; isFresh: boolean };
}

/** Returns the routes of /console-api that the server has, with its own words about who may use them. */
async function listedRoutes(): Promise<ListedRoute[]> {
  const lines = (await command('access', '--json')).split('\n').map((line) => JSON.parse(line) as ListedRoute);
  return lines
    .filter(({ role, route }) => role === 'console' && route.includes(' /console-api/'))
    .map((line) => ({ ...line, route: line.route.replace('/console-api', '') }));
}

describe('the console', () => {
  test('every route is in the matrix, and the other way round', async () => {
    expect((await listedRoutes()).map(({ route }) => route).toSorted()).toEqual(Object.keys(requests).toSorted());
  });

  test.each(callers)('%s reaches exactly what the role allows', async (caller) => {
    for (const [route, { needs, status = 200 }] of Object.entries(requests)) {
      const refusal = refusalFor(needs, caller);
      const answer = await request(route, caller);
      const outcome = [route, refusal === null ? answer.status : answer.body.error?.code];
      expect(outcome).toEqual([route, refusal ?? status]);
    }
  });

  test('a project of others is like one that does not exist', async () => {
    for (const [route, { needs }] of Object.entries(requests)) {
      if (refusalFor(needs, 'stranger') !== 'not_found') continue;
      const [foreign, unknown] = [
        await request(route, 'stranger'),
        await request(route, 'stranger', { projectId: unknownProjectId }),
      ];
      expect([route, foreign.status, foreign.body.error?.message]).toEqual([route, 404, unknown.body.error?.message]);
    }
  });

  test('the people and sessions of others are like those that do not exist', async () => {
    const { id, cookie } = accountOf('admin');
    const foreignSession = (await sessionOf(cookie)).session.id;
    const stranger = accountOf('stranger');
    const members = `/projects/${otherProject.projectId}/members`;
    const unknownPerson = `${id.slice(0, -4)}0000`;
    const unknownSession = `${foreignSession.slice(0, -4)}0000`;
    for (const [method, foreign, unknown] of [
      ['PUT', `${members}/${id}`, `${members}/${unknownPerson}`],
      ['DELETE', `${members}/${id}`, `${members}/${unknownPerson}`],
      ['DELETE', `/sessions/${foreignSession}`, `/sessions/${unknownSession}`],
    ] as const) {
      const asked = { cookie: stranger.cookie, body: { role: 'viewer' } };
      const [one, other] = [await ask(method, foreign, asked), await ask(method, unknown, asked)];
      expect([method, one.status, one.body.error?.message]).toEqual([method, 404, other.body.error?.message]);
    }
    expect((await sessionOf(cookie)).signed_in).toBe(true);
  });

  test('a page of another site changes nothing with the cookie of an operator', async () => {
    const { cookie } = accountOf('operator');
    for (const route of Object.keys(requests)) {
      const [method = '', path = ''] = route.split(' ');
      if (method === 'GET') continue;
      for (const headers of [{ origin: 'https://evil.example' }, { 'x-kinora-console': '0' }]) {
        const { status, body } = await ask(method, path, { cookie, headers });
        expect([route, status, body.error?.code]).toEqual([route, 403, 'cross_site_request']);
      }
    }
  });

  test('what gives lasting access or cannot be undone needs a fresh sign-in', async () => {
    const fresh = (await listedRoutes()).filter(({ access }) => typeof access === 'object' && access.isFresh);
    expect(fresh.map(({ route }) => route)).toEqual(
      expect.arrayContaining(['POST /people', 'POST /engines/:endpoint_id/drain', 'POST /password']),
    );
    const operator = accountOf('operator');
    const stale = await signInAs(operator);
    const { id } = (await sessionOf(stale)).session;
    // No route makes a sign-in older, so the row is changed.
    const byEmail = '(select id from people where email = $1)';
    const older = `update console_sessions set signed_in_at = now() - interval '11 minutes' where person_id = ${byEmail}`;
    await database.query(older, [operator.email]);
    for (const { route } of fresh) {
      const [method = '', path = ''] = route.split(' ');
      const answer = await ask(method, path.replace(':project_id', project.projectId), { cookie: stale });
      expect([route, answer.body.error?.code]).toEqual([route, 'sign_in_again']);
    }
    const { password } = operator;
    expect((await ask('POST', '/confirm', { cookie: stale, body: { password } })).status).toBe(200);
    expect((await ask('POST', '/people', { cookie: stale, body: { email: newEmail() } })).status).toBe(200);
    expect((await ask('DELETE', `/sessions/${id}`, { cookie: stale })).status).toBe(204);
    accounts.set('operator', { ...operator, cookie: await signInAs(operator) });
  });
});

describe('tokens of the console', () => {
  const scopesOf: Record<'viewer' | 'developer', readonly string[]> = {
    viewer: ['videos:read', 'usage:read'],
    developer: ['videos:read', 'videos:write', 'files:write', 'usage:read', 'webhooks:manage'],
  };
  const makeToken = async (name: PersonName, projectId = project.projectId) => {
    const { cookie } = accountOf(name);
    const { body } = await ask('POST', '/tokens', { cookie, body: tokenBody(projectId) });
    return String(body['token']);
  };
  const call = ({ name, method, path }: Operation, token: string, ids: ObjectIds) => {
    const operation = operationRequests[name] ?? {};
    return send(apiUrl + pathFor(path, ids, operation.query), method, `Bearer ${token}`, operation);
  };
  const operationsWithKey = async () =>
    operationsOf(await (await fetch(`${apiUrl}/openapi.json`)).json()).filter(({ scope }) => scope !== null);

  test.each(['viewer', 'developer', 'admin', 'operator'] as const)('%s reaches exactly its scopes', async (name) => {
    const owner = { url: apiUrl, key: project.key };
    const token = await makeToken(name);
    const ids = await createObjects(owner);
    for (const operation of await operationsWithKey()) {
      const { consumes, needs } = operationRequests[operation.name] ?? {};
      const isConsumed = consumes !== undefined && operation.parameters.length > 0;
      const { status } = await call(
        operation,
        token,
        isConsumed ? { ...ids, ...(await createObject(owner, consumes)) } : ids,
      );
      const may = name === 'admin' || name === 'operator' || scopesOf[name].includes(operation.scope ?? '');
      // The tasks of this project never run, so they have no files.
      const expected = may ? (needs === 'completed task' ? 404 : 200) : 403;
      expect([operation.name, status >= 200 && status < 300 ? 200 : status]).toEqual([operation.name, expected]);
    }
  });

  test('of another project see nothing of this one', async () => {
    const token = await makeToken('stranger', otherProject.projectId);
    const ids = await createObjects({ url: apiUrl, key: project.key });
    for (const operation of await operationsWithKey()) {
      if (operation.parameters.length === 0 || operationRequests[operation.name]?.isShared) continue;
      const [foreign, unknown] = [await call(operation, token, ids), await call(operation, token, unknownIds)];
      const messageOf = ({ body }: { body: string }) => /"message":"[^"]*"/.exec(body)?.[0];
      expect([operation.name, foreign.status, messageOf(foreign)]).toEqual([operation.name, 404, messageOf(unknown)]);
    }
  });

  test('make no tokens', async () => {
    const token = await makeToken('admin');
    const { status } = await send(`${apiUrl}/v1/tokens`, 'POST', `Bearer ${token}`, { body: {} });
    expect(status).toBe(403);
  });

  test('die at once with the membership, with the session and with the person', async () => {
    const read = async (token: string) => (await send(`${apiUrl}/v1/videos`, 'GET', `Bearer ${token}`, {})).status;
    const path = `/projects/${project.projectId}/members`;
    const { id, email, link } = await addMember(project.projectId, 'viewer');
    const password = 'the password of somebody is long';
    const cookie = await cookieFrom('/password-reset', { token: tokenOf(link), password });
    const account = { id, email, password, cookie };
    accounts.set('viewer', account);
    const first = await makeToken('viewer');
    expect(await read(first)).toBe(200);
    expect((await asOperator('DELETE', `${path}/${id}`)).status).toBe(204);
    expect(await read(first)).toBe(401);

    expect((await asOperator('POST', path, { email, role: 'viewer' })).status).toBe(200);
    const second = await makeToken('viewer');
    expect(await read(second)).toBe(200);
    await ask('POST', '/sign-out', { cookie });
    expect(await read(second)).toBe(401);

    accounts.set('viewer', { ...account, cookie: await signInAs(account) });
    const third = await makeToken('viewer');
    expect(await read(third)).toBe(200);
    await command('people', 'disable', email);
    expect(await read(third)).toBe(401);
    await command('people', 'enable', email);
    expect(await read(third)).toBe(401);
  });
});

describe('kinora-server people', () => {
  test('lists everybody, and gives a person a link that sets a new password once', async () => {
    const { email, id } = accountOf('developer');
    const lines = (await command('people', 'list', '--json')).split('\n').map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(
      expect.objectContaining({
        id,
        email,
        projects: [{ id: project.projectId, name: 'the console', role: 'developer' }],
      }),
    );
    expect(await command('people', 'list')).toMatch(new RegExp(`${email}.*${project.projectId}:developer`));
    const link = await command('people', 'reset', email.toUpperCase());
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/set-password#token=[\w-]{43}$/);
    const body = { token: tokenOf(link), password: 'another password that is long' };
    expect((await ask('POST', '/password-reset', { body })).status).toBe(200);
    expect((await ask('POST', '/password-reset', { body })).body.error?.code).toBe('sign_in_link_invalid');
  });

  test('makes no second first operator, and knows nobody else', async () => {
    const again = await commandOutcome(['people', 'first-operator']);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('There is already an operator.') });
    const nobody = await commandOutcome(['people', 'reset', 'nobody@example.com']);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('Nobody has the e-mail address') });
  });
});
