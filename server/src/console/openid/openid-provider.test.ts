import { type IdentityProvider, startIdentityProvider } from '@kinora/stack/harness/identity-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clockAt } from '../../domain/clock.fixture.ts';
import { createOpenidProvider, type OpenidProvider } from './openid-provider.ts';

const redirectUri = 'http://127.0.0.1:8081/console-api/openid/callback';
let identities: IdentityProvider;

function connect(changed: { clientSecret?: string; issuer?: string } = {}): OpenidProvider {
  const { issuer, clientId, clientSecret } = { ...identities, ...changed };
  const clock = clockAt(() => new Date());
  return createOpenidProvider({ issuer, clientId, clientSecret, groupsClaim: 'groups', redirectUri, clock });
}

/** Signs in at the provider. Returns what the browser brings back. */
async function walk(
  provider: OpenidProvider,
  { subject = 'anna', isConfirmation = false }: { subject?: string | null; isConfirmation?: boolean } = {},
) {
  const { url, pending } = await provider.start({ isConfirmation });
  const callback = await identities.walk(url, subject);
  return { url, callback, query: new URL(callback).search, pending };
}

beforeAll(async () => {
  identities = await startIdentityProvider({ redirectUris: [redirectUri] });
  identities.accounts.set('anna', {
    email: 'anna@example.com',
    email_verified: true,
    name: 'Anna',
    groups: ['video-admins'],
  });
});
afterAll(() => identities.stop());

describe('a sign-in with OpenID Connect', () => {
  it('returns who came back, with the groups and the time at which they entered their credentials', async () => {
    const provider = connect();
    const { url, query, pending } = await walk(provider);
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid email profile groups',
      redirect_uri: redirectUri,
    });
    expect(await provider.finish(query, pending)).toMatchObject({
      issuer: identities.issuer,
      subject: 'anna',
      email: 'anna@example.com',
      isEmailVerified: true,
      name: 'Anna',
      groups: ['video-admins'],
    });
  });

  it('has the credentials entered again for a confirmation, and learns when that was', async () => {
    const provider = connect();
    const before = Math.floor(Date.now() / 1000) * 1000; // tokens have whole seconds
    const { url, query, pending } = await walk(provider, { isConfirmation: true });
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({ prompt: 'login', max_age: '0' });
    const { authenticatedAt } = await provider.finish(query, pending);
    expect(Number(authenticatedAt)).toBeGreaterThanOrEqual(before);
    expect(Number(authenticatedAt)).toBeLessThanOrEqual(Date.now());
  });

  it('fails if the state, the nonce or the verifier is that of another sign-in', async () => {
    const provider = connect();
    const other = await walk(provider);
    for (const part of ['state', 'nonce', 'codeVerifier'] as const) {
      const { query, pending } = await walk(provider);
      const mixed = { ...pending, [part]: other.pending[part] };
      await expect(provider.finish(query, mixed)).rejects.toMatchObject({ problem: 'failed' });
    }
  });

  it('fails if the callback is sent twice', async () => {
    const provider = connect();
    const { query, pending } = await walk(provider);
    await provider.finish(query, pending);
    await expect(provider.finish(query, pending)).rejects.toMatchObject({ problem: 'failed' });
  });

  it('fails if the code has expired', async () => {
    const provider = connect();
    const { callback, query, pending } = await walk(provider);
    await identities.expireCode(callback);
    await expect(provider.finish(query, pending)).rejects.toMatchObject({
      problem: 'failed',
      cause: { error: 'invalid_grant' },
    });
  });

  it('fails if the callback names another issuer', async () => {
    const provider = connect();
    const { query, pending } = await walk(provider);
    const parameters = new URLSearchParams(query);
    parameters.set('iss', 'https://evil.example');
    await expect(provider.finish(`?${parameters.toString()}`, pending)).rejects.toMatchObject({ problem: 'failed' });
  });

  it('fails with a wrong client secret', async () => {
    const provider = connect({ clientSecret: 'another' });
    const { query, pending } = await walk(provider);
    await expect(provider.finish(query, pending)).rejects.toMatchObject({ problem: 'failed' });
  });

  it('is declined if the person cancels', async () => {
    const provider = connect();
    const { query, pending } = await walk(provider, { subject: null });
    await expect(provider.finish(query, pending)).rejects.toMatchObject({ problem: 'declined' });
  });

  it('trusts an address only if the provider says true, and not the text', async () => {
    const provider = connect();
    identities.accounts.set('bert', { email: 'bert@example.com', email_verified: 'true' });
    const { query, pending } = await walk(provider, { subject: 'bert' });
    expect(await provider.finish(query, pending)).toMatchObject({ isEmailVerified: false, groups: [], name: null });
  });

  it('takes no address that is too long, and the beginning of a name that is', async () => {
    const provider = connect();
    const email = `${'c'.repeat(250)}@example.com`;
    identities.accounts.set('cleo', { email, email_verified: true, name: 'Cleo '.repeat(100) });
    const { query, pending } = await walk(provider, { subject: 'cleo' });
    expect(await provider.finish(query, pending)).toMatchObject({ email: null, name: 'Cleo '.repeat(20) });
  });

  it('says that the provider is away, and works once it is back', async () => {
    const provider = connect();
    await identities.stop();
    await expect(provider.start({ isConfirmation: false })).rejects.toMatchObject({ problem: 'away' });
    await identities.start();
    const { query, pending } = await walk(provider);
    await identities.stop();
    await expect(provider.finish(query, pending)).rejects.toMatchObject({ problem: 'away' });
    await identities.start();
    expect(await provider.finish(query, pending)).toMatchObject({ subject: 'anna' });
  });
});
