import { type IdentityProvider, startIdentityProvider } from '@kinora/stack/harness/identity-provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnProject, ownProject } from './own-project.ts';
import { startConsole } from './second-api.ts';

let identities: IdentityProvider;
let project: OwnProject;
let consoleUrl: string;
let close: () => Promise<void>;

beforeAll(async () => {
  project = await ownProject('the project of a group');
  const started = await startConsole('console-openid', async (url) => {
    identities = await startIdentityProvider({ redirectUris: [`${url}/console-api/openid/callback`] });
    return {
      KINORA_OPENID_ISSUER: identities.issuer,
      KINORA_OPENID_CLIENT_ID: identities.clientId,
      KINORA_OPENID_CLIENT_SECRET: identities.clientSecret,
      KINORA_OPENID_NAME: 'Example login',
      KINORA_OPENID_GROUP_ROLES: `video-team=${project.projectId}:developer`,
    };
  });
  ({ url: consoleUrl, close } = started);
});
afterAll(async () => {
  await close?.();
  await identities?.stop();
});

/** Requests an address as a browser does, and returns where it leads and the cookies that it sets. */
async function open(url: string, cookies: readonly string[] = []) {
  const response = await fetch(url, { redirect: 'manual', headers: { cookie: cookies.join('; ') } });
  const set = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return { status: response.status, location: response.headers.get('location') ?? '', cookies: set };
}

/** Signs in at the provider and comes back. */
async function signIn(subject: string, returnTo = '/queue') {
  const start = await open(`${consoleUrl}/console-api/openid/start?return_to=${encodeURIComponent(returnTo)}`);
  const callback = await identities.walk(start.location, subject);
  return { callback, startCookies: start.cookies, ...(await open(callback, start.cookies)) };
}

async function sessionOf(cookies: readonly string[]) {
  const response = await fetch(`${consoleUrl}/console-api/session`, { headers: { cookie: cookies.join('; ') } });
  return (await response.json()) as {
    signed_in: boolean;
    sign_in: { openid: { name: string } | null };
    person?: { email: string };
    projects?: { id: string; role: string }[];
    session?: { method: string };
  };
}

test('a person signs in with the identity provider and has the role of their group until they leave it', async () => {
  identities.accounts.set('gina', {
    email: 'gina@example.com',
    email_verified: true,
    name: 'Gina',
    groups: ['video-team'],
  });
  expect((await sessionOf([])).sign_in.openid).toEqual({ name: 'Example login' });
  const { status, location, cookies, callback, startCookies } = await signIn('gina', '/gallery?model=animatic');
  expect([status, location]).toEqual([303, '/gallery?model=animatic']);
  expect(await sessionOf(cookies)).toMatchObject({
    signed_in: true,
    person: { email: 'gina@example.com' },
    projects: [{ id: project.projectId, role: 'developer' }],
    session: { method: 'openid' },
  });

  const replayed = await open(callback, startCookies);
  expect(replayed.location).toMatch(/^\/sign-in\?problem=openid_failed/);
  expect((await sessionOf(replayed.cookies)).signed_in).toBe(false);

  identities.accounts.set('gina', { email: 'gina@example.com', email_verified: true, groups: [] });
  const again = await signIn('gina');
  expect(await sessionOf(again.cookies)).toMatchObject({ signed_in: true, projects: [] });
});

test('somebody without a role, and somebody with an address that nobody has verified, do not get in', async () => {
  identities.accounts.set('rosa', { email: 'rosa@example.com', email_verified: true, groups: ['others'] });
  expect((await signIn('rosa')).location).toBe('/sign-in?problem=no_role&next=%2Fqueue');
  identities.accounts.set('mallory', { email: 'gina@example.com', email_verified: true, groups: ['video-team'] });
  expect((await signIn('mallory')).location).toBe('/sign-in?problem=email_taken&next=%2Fqueue');
  identities.accounts.set('uma', { email: 'uma@example.com', email_verified: false, groups: ['video-team'] });
  expect((await signIn('uma')).location).toBe('/sign-in?problem=email_not_verified&next=%2Fqueue');
});

test('a sign-in leads to no other origin', async () => {
  expect((await signIn('gina', 'https://evil.example/')).location).toBe('/');
});

test('a provider that is away leads to a page that says so, and the sign-in works once it is back', async () => {
  const start = await open(`${consoleUrl}/console-api/openid/start`);
  const callback = await identities.walk(start.location, 'gina');
  await identities.stop();
  expect((await open(callback, start.cookies)).location).toBe('/sign-in?problem=openid_away&next=%2F');
  await identities.start();
  expect((await signIn('gina')).location).toBe('/queue');
});
