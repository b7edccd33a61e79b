import { isLoopbackName } from '@kinora/settings/own-host';
import type * as OpenidClient from 'openid-client';
import type { Clock } from '../../domain/clock.ts';
import { longestEmail, longestName } from '../../domain/person.ts';
import type { ProvenIdentity } from '../../operations/people/sign-in-with-openid.ts';

/** What a browser has to bring back from the provider. Nobody else may see it or make one. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  codeVerifier: string;
  /** Whether the person had to enter their credentials again. */
  isConfirmation: boolean;
}

/** Why nobody was signed in. `away`: try again. `declined`: not allowed or wanted. `failed`: not a valid response. */
export type OpenidProblem = 'away' | 'declined' | 'failed';

export class OpenidRefused extends Error {
  readonly problem: OpenidProblem;

  constructor(problem: OpenidProblem, options: { cause?: unknown } = {}) {
    super(`the sign-in with OpenID Connect did not succeed: ${problem}`, options);
    this.name = 'OpenidRefused';
    this.problem = problem;
  }
}

export interface OpenidProvider {
  /** Returns where to send the browser, and what it has to bring back. */
  start(options: { isConfirmation: boolean }): Promise<{ url: string; pending: PendingSignIn }>;
  /** Returns who came back. The query is that of the callback. Throws `OpenidRefused`. */
  finish(query: string, pending: PendingSignIn): Promise<ProvenIdentity>;
}

interface Options {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  groupsClaim: string;
  /** The address of our callback. */
  redirectUri: string;
  clock: Clock;
}

/** 5 s per request: a provider that is slower than this is away, and the person can try again. */
const requestSeconds = 5;
/** 10 minutes: how late a change of the provider's addresses is noticed. Its keys are looked up when they change. */
const keptMilliseconds = 10 * 60_000;

/** Connects to an OpenID Connect provider. Nothing is loaded or asked before the first sign-in. */
export function createOpenidProvider(options: Options): OpenidProvider {
  const { clientId, groupsClaim, redirectUri } = options;
  const discovered = createDiscovery(options);

  return {
    async start({ isConfirmation }) {
      const { client, configuration } = await discovered();
      const [state, nonce, codeVerifier] = [
        client.randomState(),
        client.randomNonce(),
        client.randomPKCECodeVerifier(),
      ];
      const scopes = ['openid', 'email', 'profile'];
      if (configuration.serverMetadata().scopes_supported?.includes(groupsClaim)) scopes.push(groupsClaim);
      const url = client.buildAuthorizationUrl(configuration, {
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(isConfirmation ? { prompt: 'login', max_age: '0' } : {}),
      });
      return { url: url.href, pending: { state, nonce, codeVerifier, isConfirmation } };
    },

    async finish(query, { state, nonce, codeVerifier, isConfirmation }) {
      const { client, configuration } = await discovered();
      try {
        const callback = new URL(redirectUri);
        callback.search = query;
        const tokens = await client.authorizationCodeGrant(configuration, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
          // The library tolerates no skew, and entering credentials takes a moment.
          ...(isConfirmation ? { maxAge: confirmationSeconds } : {}),
        });
        const claims = tokens.claims();
        if (!claims) throw new OpenidRefused('failed');
        const needsMore = claims['email'] === undefined || claims[groupsClaim] === undefined;
        const more =
          needsMore && configuration.serverMetadata().userinfo_endpoint !== undefined
            ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
            : {};
        // Whether an address is verified counts only together with that address.
        const { email, email_verified }: Claims = claims['email'] === undefined ? more : claims;
        // What the ID token says is signed, so it wins.
        return readClaims({ ...more, ...claims, email, email_verified }, claims, groupsClaim);
      } catch (error) {
        throw refusalOf(client, error);
      }
    },
  };
}

/** 60 s: how long ago the credentials may have been entered after `max_age=0`, for slow pages and clocks. */
const confirmationSeconds = 60;

interface Discovered {
  client: typeof OpenidClient;
  configuration: OpenidClient.Configuration;
}

/** Returns a function that asks the provider for its addresses. Requests that come together ask once. */
function createDiscovery({ issuer, clientId, clientSecret, clock }: Options): () => Promise<Discovered> {
  let known: { since: number; found: Promise<Discovered> } | null = null;

  async function discover(): Promise<Discovered> {
    const client = await import('openid-client');
    const server = new URL(issuer);
    const find = () =>
      client.discovery(server, clientId, clientSecret ?? {}, clientAuthentication(client, clientSecret), {
        timeout: requestSeconds,
        // The settings allow http on loopback only.
        execute: isLoopbackName(server.hostname) ? [client.allowInsecureRequests] : [],
      });
    try {
      // One failure may be a restart of the provider or a lost packet.
      return { client, configuration: await find().catch(find) };
    } catch (error) {
      throw new OpenidRefused('away', { cause: error });
    }
  }

  return () => {
    const now = clock.now().getTime();
    if (known && now - known.since < keptMilliseconds) return known.found;
    const asked = { since: now, found: discover() };
    known = asked;
    // A failure is not kept: the next sign-in asks again.
    asked.found.catch(() => {
      if (known === asked) known = null;
    });
    return asked.found;
  };
}

/** Sends the secret in the way that the provider takes; in a header, as the standard says, if it takes both. */
function clientAuthentication(client: typeof OpenidClient, secret: string | null): OpenidClient.ClientAuth {
  if (secret === null) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported;
    const isBasic = taken === undefined || taken.includes('client_secret_basic');
    return (isBasic ? basic : post)(server, ...rest);
  };
}

type Claims = Readonly<Record<string, unknown>>;

function readClaims(
  claims: Claims,
  { iss, sub, auth_time }: OpenidClient.IDToken,
  groupsClaim: string,
): ProvenIdentity {
  const textOf = (name: string) => {
    const value = claims[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const groups: unknown = claims[groupsClaim];
  const email = textOf('email');
  return {
    issuer: iss,
    subject: sub,
    email: email !== null && email.length <= longestEmail ? email : null,
    // Only the boolean counts: a text says that the provider did not check what it writes.
    isEmailVerified: claims['email_verified'] === true,
    name: textOf('name')?.slice(0, longestName) ?? null,
    groups: (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === 'string'),
    authenticatedAt: auth_time === undefined ? null : new Date(auth_time * 1000),
  };
}

function refusalOf(client: typeof OpenidClient, error: unknown): OpenidRefused {
  if (error instanceof OpenidRefused) return error;
  if (error instanceof client.AuthorizationResponseError) return new OpenidRefused('declined', { cause: error });
  return new OpenidRefused(isAway(error) ? 'away' : 'failed', { cause: error });
}

/** Returns whether a request did not reach the provider, took too long, or met a failing provider. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return true;
  if (error instanceof TypeError && error.message === 'fetch failed') return true;
  const { cause } = error;
  if (cause instanceof Response) return cause.status >= 500;
  return isAway(cause);
}
