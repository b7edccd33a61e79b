import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Configuration, Provider as OpenidServer } from 'oidc-provider';

/** What the provider says about an account, besides its subject. */
interface AccountClaims {
  email?: string;
  email_verified?: boolean | string;
  name?: string;
  groups?: string[];
}

/** A real OpenID Connect provider on loopback. */
export interface IdentityProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Accounts by their subject; changes apply at the next sign-in. */
  accounts: Map<string, AccountClaims>;
  /** Signs in as the account and consents, as a browser does; null cancels. Returns the callback's URL. */
  walk(authorizationUrl: string, subject: string | null): Promise<string>;
  /** Lets the code in a callback's URL expire. */
  expireCode(callbackUrl: string): Promise<void>;
  /** Stops listening until `start` is called, at the same address. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a provider with one client. */
export async function startIdentityProvider({ redirectUris }: { redirectUris: string[] }): Promise<IdentityProvider> {
  const { Provider } = await import('oidc-provider');
  const [clientId, clientSecret] = ['kinora', randomBytes(24).toString('base64url')];
  const accounts = new Map<string, AccountClaims>();
  let next: string | null = null;
  let provider: OpenidServer | null = null;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/')) void finishInteraction(request, response);
    else void provider?.callback()(request, response);
  });

  async function finishInteraction(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const result =
      next === null ? { error: 'access_denied' } : { login: { accountId: next, ts: Math.floor(Date.now() / 1000) } };
    await provider?.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  async function listen(port: number): Promise<number> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // a TCP server has a port
  }

  const port = await listen(0);
  const issuer = `http://127.0.0.1:${port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const configuration: Configuration = {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'only' }] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    // The provider prints a notice for each kind that has its default.
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    pkce: { required: () => true },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...accounts.get(subject) }),
    }),
    // Everybody consents to everything that is asked for.
    loadExistingGrant: async (context) => {
      const { client, session, params } = context.oidc;
      const scope = params?.['scope'];
      const grant = new context.oidc.provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      });
      if (typeof scope === 'string') grant.addOIDCScope(scope);
      await grant.save();
      return grant;
    },
  };
  provider = new Provider(issuer, configuration);

  return {
    issuer,
    clientId,
    clientSecret,
    accounts,
    async walk(authorizationUrl, subject) {
      next = subject;
      const cookies = new Map<string, string>();
      for (let url = authorizationUrl; ; ) {
        if (!url.startsWith(`${issuer}/`)) return url;
        const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
        const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
        for (const set of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          cookies.set(name, value);
        }
        const location = response.headers.get('location');
        if (location === null)
          throw new Error(`the provider responded with ${response.status}: ${await response.text()}`);
        url = new URL(location, url).href;
      }
    },
    async expireCode(callbackUrl) {
      const code = await provider?.AuthorizationCode.find(new URL(callbackUrl).searchParams.get('code') ?? '');
      if (!code) throw new Error('there is no such code');
      code.exp = Math.floor(Date.now() / 1000) - 1;
      await code.save();
    },
    async stop() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
    start: async () => void (await listen(port)),
  };
}
