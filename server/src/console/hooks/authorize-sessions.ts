import type { FastifyInstance, FastifyRequest } from 'fastify';
import { roleIn, type SignedIn } from '../../domain/console-session.ts';
import { isFreshSignIn, projectRoles } from '../../domain/person.ts';
import { createRateMemory } from '../../domain/rate-memory.ts';
import { AppError, rateUsedUp } from '../../errors.ts';
import type { AddressLimits } from '../../http/limit-addresses.ts';
import { type ConsoleAccess, consoleAccessOf } from '../console-access.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { sessionSecretOf } from '../requests/session-cookie.ts';

/** Ten per second: a page sends a few requests at once and then follows what changes. */
const sessionRate = { perMinute: 600, burst: 600 };

/** Finds out who sent a request and whether they may, before its body is read and again after it. */
export function authorizeSessions(
  app: FastifyInstance,
  { clock, findSession }: Pick<ConsoleParts, 'clock' | 'findSession'>,
  addressLimits: AddressLimits,
): void {
  const rates = createRateMemory();
  const known = createKnownSecrets();
  app.decorateRequest('session', null);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.allow !== undefined) return;
    for (const one of [method].flat()) {
      if (consoleAccessOf(one, url) === null)
        throw new TypeError(`console-access.ts does not say who may ${one} ${url}`);
    }
  });

  app.addHook('onRequest', async (request) => {
    const access = accessOf(request);
    if (access === 'page') return;
    const secret = sessionSecretOf(request);
    // A made-up cookie would cost a query, so it counts before it is looked up. Valid ones are remembered, because all
    // people may seem to have one address: that of a proxy which the operator has not listed as trusted.
    if (secret === null || !known.has(secret)) addressLimits.countKeyless(request);
    request.session = secret === null ? null : await findSession(secret);
    if (secret !== null) known.note(secret, request.session !== null);
    if (request.session) {
      const refused = rates.take(request.session.session.id, sessionRate, clock.now().getTime());
      if (refused) throw rateUsedUp({ what: 'requests of this session', ...sessionRate, ...refused });
    }
    if (access !== 'anyone') requireAccess(request, access, clock.now());
  });

  // A body can take half a minute to arrive. Meanwhile the session may have ended, or the person have lost the role.
  app.addHook('preHandler', async (request) => {
    const access = accessOf(request);
    if (request.body === undefined || typeof access === 'string') return;
    request.session = await findSession(sessionSecretOf(request) ?? '');
    requireAccess(request, access, clock.now());
  });
}

function accessOf({ method, routeOptions }: FastifyRequest): ConsoleAccess {
  const access = consoleAccessOf(method, routeOptions.url ?? '');
  if (access === null) throw new AppError('not_found');
  return access;
}

function requireAccess(request: FastifyRequest, access: Exclude<ConsoleAccess, string>, now: Date): void {
  const { session: signedIn } = request;
  if (!signedIn) throw new AppError('not_signed_in');
  refuseLackingRole(request, signedIn, access);
  if (access.isFresh && !isFreshSignIn(signedIn.session.signedInAt, now)) throw new AppError('sign_in_again');
}

function refuseLackingRole(
  request: FastifyRequest,
  signedIn: SignedIn,
  { role }: Exclude<ConsoleAccess, string>,
): void {
  if (role === 'person') return;
  if (role === 'operator') {
    if (!signedIn.person.isOperator) throw new AppError('insufficient_role');
    return;
  }
  const { project_id: projectId = '' } = (request.params ?? {}) as { project_id?: string };
  const own = roleIn(signedIn, projectId);
  // Those who are not members do not learn whether the project exists.
  if (own === null) throw new AppError('not_found');
  if (projectRoles.indexOf(own) < projectRoles.indexOf(role)) throw new AppError('insufficient_role');
}

/** Far more than are in use at once. */
const knownLimit = 10_000;

/** The cookies that were valid when they were last used. Memory is bounded: when it is full, it starts over. */
function createKnownSecrets() {
  const secrets = new Set<string>();
  return {
    has: (secret: string) => secrets.has(secret),
    note(secret: string, isValid: boolean) {
      if (!isValid) return void secrets.delete(secret);
      if (secrets.size >= knownLimit) secrets.clear();
      secrets.add(secret);
    },
  };
}
