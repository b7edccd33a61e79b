import type { InjectOptions } from 'fastify';
import { beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { parts } from '../console/console-app.fixture.ts';
import { createConsoleApp } from '../console/console-app.ts';
import { useTestDatabase } from '../db/database.fixture.ts';
import { systemClock } from '../domain/clock.ts';
import { newId, newProjectId } from '../domain/id.ts';
import { makeFirstOperatorLink } from '../operations/people/make-first-operator.ts';
import { newSecret, sha256OfSecret } from '../operations/people/open-session.ts';
import { createPasswords } from '../operations/people/passwords.ts';
import { wireConsoleSessions } from './wire-console-sessions.ts';

const consoleUrl = 'http://127.0.0.1:8081';
const clock = { ...systemClock, moment: new Date(), now: () => clock.moment };
const passwords = createPasswords();
const password = 'correct horse battery staple';
const database = useTestDatabase(6);
let passwordHash: string;
let app: ReturnType<typeof createConsoleApp>;

beforeAll(async () => {
  passwordHash = await passwords.hash(password);
});
beforeEach(() => {
  // Each test has a console of its own, so that none uses up the limits of another.
  app = startConsole('production');
});

function startConsole(environment: 'development' | 'production') {
  const config = readConfig({
    ...inject('stackEnvironment'),
    KINORA_ENV: environment,
    KINORA_CONSOLE_URL: consoleUrl,
    KINORA_SECRET_KEYS: 'H2dkq0ZfPTnWTYVCMDS1mC3Bdc0TqPs3mQOv0kYwMhk=',
  });
  const { db } = database;
  return createConsoleApp({
    ...parts,
    consoleUrl,
    clock,
    ...wireConsoleSessions({ config, db, clock, log: parts.log }),
  });
}

/** Sends a request as a page of the console does, with the cookie of a browser. */
async function send(options: InjectOptions & { cookie?: string }) {
  const { cookie, ...request } = options;
  const response = await app.inject({
    ...request,
    headers: {
      'x-kinora-console': '1',
      origin: consoleUrl,
      'content-type': 'application/json',
      ...(cookie === undefined ? {} : { cookie }),
    },
  });
  const setCookie = response.headers['set-cookie'];
  return {
    status: response.statusCode,
    code: response.statusCode >= 400 ? (response.json().error.code as string) : null,
    body: response.body === '' ? null : response.json(),
    setCookie,
    cookie: typeof setCookie === 'string' ? (setCookie.split(';')[0] ?? '') : '',
  };
}
const post = (path: string, payload: object, cookie?: string) =>
  send({ method: 'POST', url: `/console-api/${path}`, payload, ...(cookie === undefined ? {} : { cookie }) });
const session = (cookie: string) => send({ url: '/console-api/session', cookie });
const isSignedIn = async (cookie: string) => (await session(cookie)).body.signed_in as boolean;

let people = 0;
async function newPerson({ isOperator = false, hasPassword = true } = {}) {
  people += 1;
  const person = {
    id: newId('person', clock.now()),
    email: `Person${people}@example.com`,
    name: `Person ${people}`,
    isOperator,
    createdAt: clock.now(),
    lastSignedInAt: null,
    disabledAt: null,
  };
  await database.db.people.insert(person, hasPassword ? passwordHash : null);
  return person;
}

async function signIn(person: { email: string }, given = password): Promise<string> {
  clock.moment = new Date(clock.moment.getTime() + 1); // ids of one moment have no order
  const response = await post('sign-in', { email: person.email, password: given });
  expect(response.status).toBe(200);
  return response.cookie;
}

async function newLink(personId: string, seconds = 3_600): Promise<string> {
  const secret = newSecret();
  const expiresAt = new Date(clock.now().getTime() + seconds * 1000);
  await database.db.signInTokens.insert({
    sha256: sha256OfSecret(secret),
    personId,
    createdAt: clock.now(),
    expiresAt,
  });
  return secret;
}

const setDisabled = (name: string) =>
  database.db.kysely.updateTable('people').set({ disabled_at: clock.now() }).where('name', '=', name).execute();

/** Returns what the audit log says about a person. */
const auditOf = async (personId: string) => {
  const events = await database.db.kysely
    .selectFrom('audit_events')
    .select('action')
    .where('object_id', '=', personId)
    .orderBy('action')
    .execute();
  return events.map(({ action }) => action);
};

const later = (minutes: number) => {
  clock.moment = new Date(clock.moment.getTime() + minutes * 60_000);
};

describe('signing in with a password', () => {
  it('sets a cookie that scripts, other hosts and plain connections cannot read', async () => {
    const person = await newPerson();
    const response = await post('sign-in', { email: person.email.toUpperCase(), password });
    expect(response.body).toMatchObject({ signed_in: true, person: { id: person.id }, projects: [] });
    expect(response.setCookie).toMatch(
      /^__Host-kinora_session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Expires=\w{3}, .+ GMT$/,
    );
    expect(await isSignedIn(response.cookie)).toBe(true);
    expect(await auditOf(person.id)).toEqual(['person.signed_in']);
  });

  it('stores neither the password nor the secret of the cookie', async () => {
    const cookie = await signIn(await newPerson());
    const secret = cookie.split('=')[1] ?? '';
    const rows = await database.db.kysely.selectFrom('console_sessions').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(rows.map(({ sha256 }) => sha256.toString('hex'))).toContain(sha256OfSecret(secret).toString('hex'));
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  it('is refused in the same way for a wrong password, an unknown address and a person without a password', async () => {
    const [person, withoutPassword] = [await newPerson(), await newPerson({ hasPassword: false })];
    const disabled = await newPerson();
    await setDisabled(disabled.name);
    const refused = [
      await post('sign-in', { email: person.email, password: 'wrong' }),
      await post('sign-in', { email: 'nobody@example.com', password }),
      await post('sign-in', { email: withoutPassword.email, password }),
      await post('sign-in', { email: disabled.email, password }),
    ];
    for (const { status, code, body, setCookie } of refused)
      expect([status, code, body.error.message, setCookie]).toEqual([
        401,
        'sign_in_failed',
        'The e-mail address or the password is wrong.',
        undefined,
      ]);
    await expect.poll(() => auditOf(person.id)).toEqual(['person.sign_in_refused']);
  });

  it('is limited per e-mail address, and only failures count', async () => {
    const person = await newPerson();
    for (let index = 0; index < 2; index += 1) await signIn(person);
    const tries = [];
    for (let index = 0; index < 11; index += 1)
      tries.push((await post('sign-in', { email: person.email, password: 'wrong' })).status);
    expect(tries).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect((await post('sign-in', { email: person.email, password })).status).toBe(429);
  });

  it('ends the session that the browser had before', async () => {
    const person = await newPerson();
    const first = await signIn(person);
    const second = await post('sign-in', { email: person.email, password }, first);
    expect([await isSignedIn(first), await isSignedIn(second.cookie)]).toEqual([false, true]);
  });

  it('is not possible without a password in production', async () => {
    expect(await post('sign-in/development', {})).toMatchObject({ status: 404, code: 'not_found' });
    app = startConsole('development');
    const response = await post('sign-in/development', {});
    expect(response.body).toMatchObject({ person: { email: 'developer@localhost', is_operator: true } });
    await database.db.kysely.deleteFrom('people').where('email', '=', 'developer@localhost').execute();
  });
});

describe('a session', () => {
  it('ends at once when its person signs out', async () => {
    const cookie = await signIn(await newPerson());
    const response = await post('sign-out', {}, cookie);
    expect([response.status, response.setCookie]).toEqual([
      204,
      '__Host-kinora_session=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0',
    ]);
    expect(await isSignedIn(cookie)).toBe(false);
    expect((await send({ url: '/console-api/sessions', cookie })).code).toBe('not_signed_in');
  });

  it('is listed to its person, who can end it from another browser', async () => {
    const person = await newPerson();
    const [lost, current] = [await signIn(person), await signIn(person)];
    const { body } = await send({ url: '/console-api/sessions', cookie: current });
    expect(body.data).toMatchObject([
      { method: 'password', is_current: true, address: '127.0.0.1' },
      { method: 'password', is_current: false },
    ]);
    const end = () => send({ method: 'DELETE', url: `/console-api/sessions/${body.data[1].id}`, cookie: current });
    expect((await end()).status).toBe(204);
    expect([await isSignedIn(lost), await isSignedIn(current)]).toEqual([false, true]);
    expect((await end()).status).toBe(404);
  });

  it('can be ended by an operator, and not by anybody else', async () => {
    const [victim, stranger] = [await signIn(await newPerson()), await signIn(await newPerson())];
    const operator = await signIn(await newPerson({ isOperator: true }));
    const { id } = (await session(victim)).body.session;
    const end = (cookie: string) => send({ method: 'DELETE', url: `/console-api/sessions/${id}`, cookie });
    expect([(await end(stranger)).status, await isSignedIn(victim)]).toEqual([404, true]);
    expect([(await end(operator)).status, await isSignedIn(victim)]).toEqual([204, false]);
  });

  it('ends at once when its person is disabled', async () => {
    const person = await newPerson();
    const cookie = await signIn(person);
    await setDisabled(person.name);
    expect(await isSignedIn(cookie)).toBe(false);
  });

  it('ends after a day without use, and after a week in any case', async () => {
    const person = await newPerson();
    const [idle, used] = [await signIn(person), await signIn(person)];
    let wasSignedInAfterADay = true;
    for (let hours = 0; hours < 168; hours += 12) {
      expect(await isSignedIn(used)).toBe(true);
      later(12 * 60);
      if (hours === 12) wasSignedInAfterADay = await isSignedIn(idle);
    }
    expect([wasSignedInAfterADay, await isSignedIn(used)]).toEqual([false, false]);
    expect(await database.db.consoleSessions.deleteEnded(clock.now(), 1_000)).toBeGreaterThanOrEqual(2);
    expect(await database.db.consoleSessions.ofPerson(person.id, new Date(0))).toEqual([]);
  });

  it('cannot be guessed: a made-up cookie is nobody', async () => {
    expect(await isSignedIn(`__Host-kinora_session=${newSecret()}`)).toBe(false);
    expect(await isSignedIn("__Host-kinora_session=' or true --")).toBe(false);
  });
});

describe('a fresh sign-in', () => {
  it('is needed to change a password, and another proof of the password makes one', async () => {
    const person = await newPerson();
    const [other, cookie] = [await signIn(person), await signIn(person)];
    const change = () => post('password', { password, new_password: 'a better password' }, cookie);
    later(11);
    expect(await change()).toMatchObject({ status: 403, code: 'sign_in_again' });
    expect(await post('confirm', { password: 'wrong' }, cookie)).toMatchObject({ status: 401, code: 'sign_in_failed' });
    expect(await change()).toMatchObject({ status: 403, code: 'sign_in_again' });
    const confirmed = await post('confirm', { password }, cookie);
    expect(confirmed.body.session.fresh_until).toBe(Math.floor(clock.now().getTime() / 1000) + 600);
    expect((await change()).status).toBe(204);
    expect([await isSignedIn(other), await isSignedIn(cookie)]).toEqual([false, true]);
    expect((await post('sign-in', { email: person.email, password })).status).toBe(401);
    expect(await isSignedIn(await signIn(person, 'a better password'))).toBe(true);
    await expect
      .poll(() => auditOf(person.id))
      .toEqual([
        'person.password_changed',
        'person.sign_in_refused',
        'person.sign_in_refused',
        'person.signed_in',
        'person.signed_in',
        'person.signed_in',
        'person.signed_in',
      ]);
  });
});

describe('a one-time link', () => {
  it('sets a password once, ends all sessions and signs its person in', async () => {
    const person = await newPerson();
    const before = await signIn(person);
    const [token, another] = [await newLink(person.id), await newLink(person.id)];
    const set = (given: string) => post('password-reset', { token: given, password: 'a password from a link' });
    const [one, two] = await Promise.all([set(token), set(token)]);
    expect(new Set([one.status, two.status])).toEqual(new Set([200, 403]));
    expect(await isSignedIn(one.cookie + two.cookie)).toBe(true);
    expect(await isSignedIn(before)).toBe(false);
    for (const used of [token, another]) expect((await set(used)).code).toBe('sign_in_link_invalid');
    expect(await isSignedIn(await signIn(person, 'a password from a link'))).toBe(true);
  });

  it('opens nothing once it has expired, or for a disabled person', async () => {
    const [person, disabled] = [await newPerson(), await newPerson()];
    const [expired, ofDisabled] = [await newLink(person.id, 60), await newLink(disabled.id)];
    await setDisabled(disabled.name);
    later(1);
    for (const token of [expired, ofDisabled, newSecret()])
      expect(await post('password-reset', { token, password: 'a password from a link' })).toMatchObject({
        status: 403,
        code: 'sign_in_link_invalid',
        setCookie: undefined,
      });
    expect(await database.db.signInTokens.deleteExpired(clock.now(), 1_000)).toBeGreaterThanOrEqual(1);
    expect(await database.db.signInTokens.find(sha256OfSecret(ofDisabled), clock.now())).not.toBeNull();
  });

  it('is stored as a hash only', async () => {
    const token = await newLink((await newPerson()).id);
    const rows = await database.db.kysely.selectFrom('sign_in_tokens').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(rows.map(({ sha256 }) => sha256.toString('hex'))).toContain(sha256OfSecret(token).toString('hex'));
  });

  it('needs a password of at least 12 characters', async () => {
    const person = await newPerson();
    const token = await newLink(person.id);
    const response = await post('password-reset', { token, password: 'too short' });
    expect([response.status, response.body.error.param]).toEqual([400, 'password']);
  });
});

describe('the first operator', () => {
  const becomeOperator = (link: string | null, email: string) =>
    post('first-operator', { token: link?.split('#token=')[1] ?? '', email, name: 'Ada', password });

  it('is the first person with a link that the server logs', async () => {
    const { db } = database;
    await db.kysely.updateTable('people').set({ is_operator: false }).execute();
    expect((await session('')).body.sign_in.needs_first_operator).toBe(true);
    const links = await Promise.all([1, 2].map(() => makeFirstOperatorLink({ db, clock }, consoleUrl)));
    expect(links[0]).toMatch(/^http:\/\/127\.0\.0\.1:8081\/welcome#token=[\w-]{43}$/);
    expect((await becomeOperator(`#token=${newSecret()}`, 'eve@example.com')).code).toBe('sign_in_link_invalid');
    const results = await Promise.all(links.map((link, index) => becomeOperator(link, `operator${index}@example.com`)));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200, 403]));
    const made = results.find(({ status }) => status === 200);
    expect(made?.body).toMatchObject({ signed_in: true, person: { name: 'Ada', is_operator: true } });
    expect(await makeFirstOperatorLink({ db, clock }, consoleUrl)).toBeNull();
    expect((await session('')).body.sign_in.needs_first_operator).toBe(false);
    const events = await db.kysely.selectFrom('audit_events').selectAll().execute();
    for (const link of links) expect(JSON.stringify(events)).not.toContain(link?.split('#token=')[1]);
    expect(await auditOf(made?.body.person.id)).toEqual(['person.created', 'person.signed_in']);
  });

  it('cannot be made with a link that sets a password, and no password can be set with the link of an operator', async () => {
    const { db } = database;
    await db.kysely.updateTable('people').set({ is_operator: false }).execute();
    const person = await newPerson();
    const [ofPerson, ofOperator] = [await newLink(person.id), await makeFirstOperatorLink({ db, clock }, consoleUrl)];
    expect((await becomeOperator(`#token=${ofPerson}`, 'mallory@example.com')).code).toBe('sign_in_link_invalid');
    const token = ofOperator?.split('#token=')[1];
    expect((await post('password-reset', { token, password })).code).toBe('sign_in_link_invalid');
    expect((await becomeOperator(ofOperator, 'grace@example.com')).status).toBe(200);
  });
});

describe('a token for the public API', () => {
  it('has the scopes of the role, and nobody gets one for a project of others', async () => {
    const { db } = database;
    const project = await db.projects.insert('shared', clock.now());
    const [viewer, stranger] = [await newPerson(), await newPerson()];
    await db.projectMembers.set(project.id, viewer.id, 'viewer', clock.now());
    const given = { project_id: project.id, livemode: false };
    const made = await post('tokens', given, await signIn(viewer));
    expect(made.body).toMatchObject({
      token: expect.stringMatching(/^kin_token_/),
      scopes: ['videos:read', 'usage:read'],
      expires_at: Math.floor(clock.now().getTime() / 1000) + 600,
    });
    expect((await post('tokens', given, await signIn(stranger))).status).toBe(404);
    const operator = await signIn(await newPerson({ isOperator: true }));
    expect((await post('tokens', given, operator)).body.scopes).toContain('keys:manage');
    const unknown = { project_id: newProjectId(clock.now()), livemode: true };
    for (const cookie of [operator, await signIn(viewer)])
      expect((await post('tokens', unknown, cookie)).status).toBe(404);
  });
});
