import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors.ts';
import { originOf } from '../../http/origin-of.ts';
import type { ConsoleParts } from '../console-parts.ts';

/** Ends the session that a browser has when it gets another one. */
export async function endPresentSession(
  request: FastifyRequest,
  sessions: Pick<ConsoleParts['sessions'], 'end'>,
): Promise<void> {
  const { session } = request;
  if (!session) return;
  await sessions.end(session, session.session.id, originOf(request)).catch((error: unknown) => {
    // Another window may have ended it meanwhile.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  });
}
