import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { originOf } from '../../api/requests/origin-of.ts';
import { AppError } from '../../errors.ts';
import type { ConsoleParts, OpenedSession } from '../console-parts.ts';
import { setSessionCookie } from '../requests/session-cookie.ts';
import type { DescribeSession } from './describe-session.ts';

type Parts = Pick<ConsoleParts, 'signIn' | 'sessions'>;

/** The ways to sign in. */
export function signInRoutes(
  app: FastifyInstance,
  { signIn, sessions }: Parts,
  describeSession: DescribeSession,
): void {
  /** Sets the cookie. A session that the browser had before ends, because nothing can use it any more. */
  const begin = async (request: FastifyRequest, reply: FastifyReply, { signedIn, secret }: OpenedSession) => {
    if (request.session) await sessions.end(request.session, request.session.session.id, originOf(request));
    setSessionCookie(reply, secret, signedIn.session.expiresAt);
    return describeSession(signedIn);
  };

  app.post('/console-api/sign-in/development', async (request, reply) => {
    if (!signIn.asDeveloper) throw new AppError('not_found');
    return begin(request, reply, await signIn.asDeveloper(originOf(request)));
  });
}
