import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../../errors.ts';
import { bodyReader } from '../../http/body-reader.ts';
import { originOf } from '../../http/origin-of.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { endPresentSession } from '../requests/end-present-session.ts';
import { emailSchema, nameSchema } from '../requests/person-fields.ts';
import { setSessionCookie } from '../requests/session-cookie.ts';
import { sessionOf } from '../requests/session-of.ts';
import { createSignInLimits } from '../sign-in-limits.ts';
import type { DescribeSession } from './describe-session.ts';

type Parts = Pick<ConsoleParts, 'clock' | 'signIn' | 'sessions' | 'findSession'>;

/** Long enough that guesses do not find it; a sentence of any kind will do. */
const newPassword = Type.String({ minLength: 12, maxLength: 200 });
const password = Type.String({ maxLength: 200 });
const token = Type.String({ maxLength: 100 });

const passwordBody = Type.Object({ email: emailSchema, password });
const firstOperatorBody = Type.Object({
  token,
  email: emailSchema,
  name: nameSchema,
  password: newPassword,
});
const linkBody = Type.Object({ token, password: newPassword });
const confirmBody = Type.Object({ password: Type.Optional(password) });
const changeBody = Type.Object({ password, new_password: newPassword });

const readPassword = bodyReader(passwordBody);
const readFirstOperator = bodyReader(firstOperatorBody);
const readLink = bodyReader(linkBody);
const readConfirm = bodyReader(confirmBody);
const readChange = bodyReader(changeBody);

/** The ways to sign in, to prove again who one is, and to change a password. */
export function signInRoutes(app: FastifyInstance, parts: Parts, describeSession: DescribeSession): void {
  const { signIn, sessions, findSession } = parts;
  const limits = createSignInLimits(parts);
  /** Sets the cookie. A session that the browser had before ends, because nothing can use it any more. */
  const begin = async (request: FastifyRequest, reply: FastifyReply, secret: string) => {
    await endPresentSession(request, sessions);
    const signedIn = await findSession(secret);
    if (!signedIn) throw new AppError('not_signed_in');
    setSessionCookie(reply, secret, signedIn.session.expiresAt);
    return describeSession(signedIn);
  };

  app.post('/console-api/sign-in', { schema: { body: passwordBody } }, async (request, reply) => {
    const given = readPassword(request.body);
    const secret = await limits.count(request, given.email, () => signIn.withPassword(given, originOf(request)));
    return begin(request, reply, secret);
  });

  app.post('/console-api/sign-in/development', async (request, reply) => {
    if (!signIn.asDeveloper) throw new AppError('not_found');
    return begin(request, reply, await signIn.asDeveloper(originOf(request)));
  });

  app.post('/console-api/first-operator', { schema: { body: firstOperatorBody } }, async (request, reply) => {
    const given = readFirstOperator(request.body);
    const secret = await limits.count(request, null, () => signIn.asFirstOperator(given, originOf(request)));
    return begin(request, reply, secret);
  });

  app.post('/console-api/password-reset', { schema: { body: linkBody } }, async (request, reply) => {
    const given = readLink(request.body);
    const secret = await limits.count(request, null, () => signIn.withLink(given, originOf(request)));
    return begin(request, reply, secret);
  });

  app.post('/console-api/confirm', { schema: { body: confirmBody } }, async (request) => {
    const signedIn = sessionOf(request);
    const given = readConfirm(request.body);
    const signedInAt = parts.clock.now();
    await limits.countOfSession(signedIn.session.id, () =>
      signIn.confirm(signedIn, given.password ?? '', originOf(request)),
    );
    return describeSession({ ...signedIn, session: { ...signedIn.session, signedInAt } });
  });

  app.post('/console-api/password', { schema: { body: changeBody } }, async (request, reply) => {
    const signedIn = sessionOf(request);
    const given = readChange(request.body);
    await limits.countOfSession(signedIn.session.id, () =>
      signIn.changePassword(signedIn, { password: given.password, newPassword: given.new_password }, originOf(request)),
    );
    return reply.code(204).send();
  });
}
