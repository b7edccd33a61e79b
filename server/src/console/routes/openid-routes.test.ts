import { type IdentityProvider, startIdentityProvider } from '@kinora/stack/harness/identity-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAt } from '../../domain/clock.fixture.ts';
import type { SignedIn } from '../../domain/console-session.ts';
import { AppError } from '../../errors.ts';
import type { ProvenIdentity } from '../../operations/people/sign-in-with-openid.ts';
import { createSecretBox } from '../../webhooks/secret-box.ts';
import { clock, consoleUrl, cookie as sessionCookie, signedInAs, startConsoleApp } from '../console-app.fixture.ts';
import { createOpenidProvider } from '../openid/openid-provider.ts';
import { createSignInSeal } from '../openid/sealed-sign-in.ts';

const callbackPath = '/console-api/openid/callback';
let identities: IdentityProvider;
let signedIn: ProvenIdentity[];
let confirmed: ProvenIdentity[];
/** Who is signed in. */
let current: SignedIn | null = null;

beforeAll(async () => {
  identities = await startIdentityProvider({ redirectUris: [consoleUrl + callbackPath] });
  identities.accounts.set('anna', { email: 'anna@example.com', email_verified: true });
});
afterAll(() => identities.stop());

/** Starts a console whose sessions are kept in a list. */
function start({ problem = '' } = {}) {
  signedIn = [];
  confirmed = [];
  const secretBox = createSecretBox(['a-secret-key-with-at-least-32-characters']);
  const { app } = startConsoleApp({
    findSession: async () => current,
    sessions: {
      list: async () => [],
      end: async () => {
        throw new AppError('not_found');
      },
    },
    openid: {
      provider: createOpenidProvider({
        ...identities,
        groupsClaim: 'groups',
        redirectUri: consoleUrl + callbackPath,
        clock: clockAt(() => new Date()),
      }),
      seal: createSignInSeal({ secretBox, clock }),
      signIn: async (claims) => {
        if (problem === 'no_role') return { problem };
        signedIn.push(claims);
        return { session: signedInAs('viewer').session, secret: 's'.repeat(43) };
      },
      confirm: async (_signedIn, claims) => confirmed.push(claims) > 0,
    },
  });
  const get = async (url: string, cookie?: string) => {
    const response = await app.inject({ url, headers: cookie === undefined ? {} : { cookie } });
    const cookies = [response.headers['set-cookie'] ?? []].flat();
    return { status: response.statusCode, location: String(response.headers.location), cookies };
  };
  /** Goes to the provider, signs in there, and returns what the browser then has. */
  const walk = async (query = '', cookie?: string) => {
    const { location, cookies } = await get(`/console-api/openid/start${query}`, cookie);
    const callback = new URL(await identities.walk(location, 'anna'));
    return { callback: callback.pathname + callback.search, cookie: cookies[0]?.split(';')[0] ?? '', cookies };
  };
  return { get, walk };
}

const failed = { status: 303, location: expect.stringMatching(/^\/sign-in\?problem=openid_failed/) };

describe('signing in with OpenID Connect', () => {
  it('sets the cookie of the session and returns to the page that the person wanted', async () => {
    const { get, walk } = start();
    const { callback, cookie, cookies } = await walk('?return_to=/tasks%3Fstatus%3Dfailed');
    expect(cookies[0]).toMatch(/^__Host-kinora_openid=[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/);
    const done = await get(callback, cookie);
    expect(done).toMatchObject({ status: 303, location: '/tasks?status=failed' });
    expect(done.cookies).toEqual([
      expect.stringMatching(/^__Host-kinora_openid=; .*Max-Age=0$/),
      expect.stringMatching(/^__Host-kinora_session=s{43}; .*HttpOnly/),
    ]);
    expect(signedIn).toMatchObject([{ subject: 'anna' }]);
  });

  it('works in a browser whose session another window has just ended', async () => {
    const { get, walk } = start();
    const { callback, cookie } = await walk();
    current = signedInAs('viewer');
    const done = await get(callback, `${cookie}; ${sessionCookie}`);
    current = null;
    expect(done.cookies[1]).toMatch(/^__Host-kinora_session=s{43}; /);
  });

  it('never leads to another origin', async () => {
    const { get, walk } = start();
    for (const elsewhere of ['https://evil.example', '//evil.example', '/%5Cevil.example', '/%09/evil.example']) {
      const { callback, cookie } = await walk(`?return_to=${elsewhere}`);
      expect(await get(callback, cookie)).toMatchObject({ status: 303, location: '/' });
    }
  });

  it('fails in another browser, with the state of another sign-in, and with an altered cookie', async () => {
    const { get, walk } = start();
    const [mine, other] = [await walk(), await walk()];
    expect(await get(mine.callback)).toMatchObject(failed);
    expect(await get(mine.callback, other.cookie)).toMatchObject(failed);
    expect(await get(mine.callback, `${mine.cookie.slice(0, -2)}AA`)).toMatchObject(failed);
    expect(signedIn).toEqual([]);
  });

  it('fails if the callback is sent again', async () => {
    const { get, walk } = start();
    const { callback, cookie } = await walk();
    await get(callback, cookie);
    const again = await get(callback, cookie);
    expect(again).toMatchObject(failed);
    expect(again.cookies.join()).not.toContain('kinora_session');
    expect(signedIn).toHaveLength(1);
  });

  it('fails ten minutes after it was started', async () => {
    const { get, walk } = start();
    const { callback, cookie } = await walk();
    const before = clock.moment;
    clock.moment = new Date(before.getTime() + 600_000);
    expect(await get(callback, cookie)).toMatchObject(failed);
    clock.moment = before;
    expect(signedIn).toEqual([]);
  });

  it('explains why somebody may not sign in, and why the provider is not used', async () => {
    const { get, walk } = start({ problem: 'no_role' });
    const { callback, cookie } = await walk('?return_to=/usage');
    const refused = await get(callback, cookie);
    expect(refused).toMatchObject({ status: 303, location: '/sign-in?problem=no_role&next=%2Fusage' });
    expect(refused.cookies.join()).not.toContain('kinora_session');
    await identities.stop();
    const away = await start().get('/console-api/openid/start');
    expect(away).toMatchObject({ status: 303, location: '/sign-in?problem=openid_away&next=%2F' });
    await identities.start();
  });

  it('is not offered without a provider', async () => {
    const { app } = startConsoleApp();
    for (const url of ['/console-api/openid/start', callbackPath])
      expect((await app.inject({ url })).statusCode).toBe(404);
  });

  it('confirms only the session that asked for it', async () => {
    const { get, walk } = start();
    current = signedInAs('viewer');
    const first = await walk('?confirm=1&return_to=/keys', sessionCookie);
    const confirmation = await get(first.callback, `${first.cookie}; ${sessionCookie}`);
    expect(confirmation).toMatchObject({ status: 303, location: '/keys' });
    expect(confirmed).toMatchObject([{ subject: 'anna' }]);
    const second = await walk('?confirm=1&return_to=/keys', sessionCookie);
    current = signedInAs('operator');
    const other = await get(second.callback, `${second.cookie}; ${sessionCookie}`);
    expect(other).toMatchObject({ status: 303, location: '/sign-in?problem=other_person&next=%2Fkeys' });
    expect(confirmed).toHaveLength(1);
    current = null;
    expect((await start().get('/console-api/openid/start?confirm=1')).status).toBe(401);
  });
});
