import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieOf } from './cookie-of.ts';

/** Browsers accept the prefix only with Secure, Path=/ and no Domain, so no other host can set the cookie. */
const cookieName = '__Host-kinora_session';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** Returns the secret of the session that a request belongs to; null if it has none. */
export function sessionSecretOf(request: Pick<FastifyRequest, 'headers'>): string | null {
  const value = cookieOf(request, cookieName);
  return value !== null && /^[\w-]{43}$/.test(value) ? value : null;
}

export function setSessionCookie(reply: FastifyReply, secret: string, expiresAt: Date): void {
  reply.header('set-cookie', `${cookieName}=${secret}; ${attributes}; Expires=${expiresAt.toUTCString()}`);
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.header('set-cookie', `${cookieName}=; ${attributes}; Max-Age=0`);
}
