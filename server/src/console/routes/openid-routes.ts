import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { originOf } from '../../http/origin-of.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { OpenidRefused } from '../openid/openid-provider.ts';
import { returnPath } from '../openid/return-path.ts';
import { signInSeconds } from '../openid/sealed-sign-in.ts';
import { cookieOf } from '../requests/cookie-of.ts';
import { endPresentSession } from '../requests/end-present-session.ts';
import { setSessionCookie } from '../requests/session-cookie.ts';

type Parts = Pick<ConsoleParts, 'openid' | 'consoleUrl' | 'sessions' | 'log'>;

const cookieName = '__Host-kinora_openid';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** Signing in with the identity provider. A browser comes back from every problem to a page that explains it. */
export function openidRoutes(app: FastifyInstance, { openid, consoleUrl, sessions, log }: Parts): void {
  const explain = (reply: FastifyReply, problem: string, returnTo: string) =>
    reply.redirect(`/sign-in?${new URLSearchParams({ problem, next: returnTo }).toString()}`, 303);

  /** Returns the problem of an error of the provider, and logs its reason; throws any other error. */
  const problemOf = (error: unknown): string => {
    if (!(error instanceof OpenidRefused)) throw error;
    const { problem, cause } = error;
    // The library's errors carry the response, which may contain a code or a token; their texts do not.
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : null;
    log.warn({ event: 'console.openid_failed', problem, reason }, 'OpenID Connect sign-in failed');
    return `openid_${problem}`;
  };

  app.get('/console-api/openid/start', async (request: FastifyRequest, reply) => {
    if (!openid) throw new AppError('not_found');
    const query = request.query as Readonly<Record<string, unknown>>;
    const returnTo = returnPath(typeof query['return_to'] === 'string' ? query['return_to'] : undefined, consoleUrl);
    const isConfirmation = query['confirm'] === '1';
    if (isConfirmation && !request.session) throw new AppError('not_signed_in');
    try {
      const { url, pending } = await openid.provider.start({ isConfirmation });
      const sessionId = isConfirmation ? (request.session?.session.id ?? null) : null;
      const sealed = openid.seal.seal({ ...pending, returnTo, sessionId });
      reply.header('set-cookie', `${cookieName}=${sealed}; ${attributes}; Max-Age=${signInSeconds}`);
      return reply.redirect(url, 303);
    } catch (error) {
      return explain(reply, problemOf(error), returnTo);
    }
  });

  app.get('/console-api/openid/callback', async (request, reply) => {
    if (!openid) throw new AppError('not_found');
    const started = openid.seal.open(cookieOf(request, cookieName) ?? '');
    // One try for each start, whatever its result.
    reply.header('set-cookie', `${cookieName}=; ${attributes}; Max-Age=0`);
    if (!started) return explain(reply, 'openid_failed', '/');
    const { returnTo, sessionId } = started;
    const origin = originOf(request);
    try {
      const identity = await openid.provider.finish(request.url.replace(/^[^?]*/, ''), started);
      if (started.isConfirmation) {
        const { session } = request;
        const isConfirmed = session?.session.id === sessionId && (await openid.confirm(session, identity, origin));
        return isConfirmed ? reply.redirect(returnTo, 303) : explain(reply, 'other_person', returnTo);
      }
      const result = await openid.signIn(identity, origin);
      if ('problem' in result) return explain(reply, result.problem, returnTo);
      await endPresentSession(request, sessions);
      setSessionCookie(reply, result.secret, result.session.expiresAt);
      return reply.redirect(returnTo, 303);
    } catch (error) {
      return explain(reply, problemOf(error), returnTo);
    }
  });
}
