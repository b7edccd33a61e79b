import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { bodyReader } from '../../http/body-reader.ts';
import { originOf } from '../../http/origin-of.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { presentSession } from '../present-session.ts';
import { clearSessionCookie } from '../requests/session-cookie.ts';
import { sessionOf } from '../requests/session-of.ts';
import type { DescribeSession } from './describe-session.ts';

type Parts = Pick<ConsoleParts, 'sessions' | 'makeToken'>;

const tokenBody = Type.Object({ project_id: Type.String({ maxLength: 64 }), livemode: Type.Boolean() });
const readTokenBody = bodyReader(tokenBody);

/** Who is signed in, their other sessions, and the tokens with which their pages call the public API. */
export function sessionRoutes(
  app: FastifyInstance,
  { sessions, makeToken }: Parts,
  describeSession: DescribeSession,
): void {
  app.get('/console-api/session', async (request) => describeSession(request.session));

  app.get('/console-api/sessions', async (request) => {
    const { person, session } = sessionOf(request);
    return { data: (await sessions.list(person.id)).map((one) => presentSession(one, session.id)) };
  });

  app.delete('/console-api/sessions/:session_id', async (request: FastifyRequest, reply) => {
    const { session_id: sessionId } = request.params as { session_id: string };
    await sessions.end(sessionOf(request), sessionId, originOf(request));
    return reply.code(204).send();
  });

  app.post('/console-api/sign-out', async (request, reply) => {
    const signedIn = sessionOf(request);
    await sessions.end(signedIn, signedIn.session.id, originOf(request));
    clearSessionCookie(reply);
    return reply.code(204).send();
  });

  app.post('/console-api/tokens', { schema: { body: tokenBody } }, async (request) => {
    const { project_id: projectId, livemode } = readTokenBody(request.body);
    const { token, expiresAt, scopes } = await makeToken(sessionOf(request), { projectId, livemode });
    return { token, expires_at: Math.floor(expiresAt.getTime() / 1000), scopes };
  });
}
