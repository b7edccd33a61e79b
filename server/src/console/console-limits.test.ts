import { describe, expect, it } from 'vitest';
import { AppError } from '../errors.ts';
import { parts, secret, signedInAs, startConsoleApp } from './console-app.fixture.ts';

const failing = { ...parts.signIn, withPassword: async () => Promise.reject(new AppError('sign_in_failed')) };
const tryToSignIn = (email: string) => ({
  method: 'POST' as const,
  url: '/console-api/sign-in',
  payload: { email, password: 'a guess' },
});

describe('the limits of the console', () => {
  it('an address that tries many e-mail addresses is refused after ten failures', async () => {
    const { send } = startConsoleApp({ signIn: failing, trustedProxies: ['127.0.0.0/8'] });
    const statusFrom = async (address: string, email: string) =>
      (await send({ ...tryToSignIn(email), headers: { cookie: '', 'x-forwarded-for': address } })).statusCode;
    const statuses = [];
    for (let index = 0; index < 11; index += 1) statuses.push(await statusFrom('192.0.2.1', `p${index}@example.com`));
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect(await statusFrom('192.0.2.2', 'p11@example.com')).toBe(401);
  });

  it('an e-mail address that many addresses try is refused after ten failures, whatever its case', async () => {
    const { send } = startConsoleApp({ signIn: failing, trustedProxies: ['127.0.0.0/8'] });
    const statuses = [];
    for (let index = 0; index < 11; index += 1) {
      const email = index % 2 === 0 ? 'ada@example.com' : 'Ada@Example.com';
      const headers = { cookie: '', 'x-forwarded-for': `192.0.2.${index}` };
      statuses.push((await send({ ...tryToSignIn(email), headers })).statusCode);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  });

  it('made-up cookies cost an address a bounded number of lookups, and valid sessions still work from it', async () => {
    let lookups = 0;
    const signedIn = signedInAs('viewer');
    const { app } = startConsoleApp({
      keylessPerMinute: 3,
      findSession: async (given) => {
        lookups += 1;
        return given === secret ? signedIn : null;
      },
    });
    const statusWith = async (value: string) =>
      (await app.inject({ url: '/console-api/session', headers: { cookie: `__Host-kinora_session=${value}` } }))
        .statusCode;
    expect(await statusWith(secret)).toBe(200);
    const statuses = [];
    for (let index = 0; index < 5; index += 1) statuses.push(await statusWith('m'.repeat(43)));
    expect([statuses, lookups]).toEqual([[200, 200, 429, 429, 429], 3]);
    expect(await statusWith(secret)).toBe(200);
  });

  it('a session may send 600 requests per minute', async () => {
    const signedIn = signedInAs('viewer');
    const { send } = startConsoleApp({ findSession: async () => signedIn });
    let last = 0;
    for (let index = 0; index < 600; index += 1) last = (await send({ url: '/console-api/sessions' })).statusCode;
    expect(last).toBe(200);
    const refused = await send({ url: '/console-api/sessions' });
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'rate_limited']);
  });
});
