import { isLoopbackName } from '@kinora/settings/own-host';
import type { ConsoleParts, ConsoleSignIn } from '../console/console-parts.ts';
import { changePassword } from '../operations/people/change-password.ts';
import { confirmSignIn } from '../operations/people/confirm-sign-in.ts';
import { endSession } from '../operations/people/end-session.ts';
import { findSession } from '../operations/people/find-session.ts';
import { listMemberships } from '../operations/people/list-memberships.ts';
import { makeFirstOperator } from '../operations/people/make-first-operator.ts';
import { makeSessionToken } from '../operations/people/make-session-token.ts';
import { createPasswords } from '../operations/people/passwords.ts';
import { createRefusedSignIns } from '../operations/people/refused-sign-ins.ts';
import { setPasswordByLink } from '../operations/people/set-password-by-link.ts';
import { signInDeveloper } from '../operations/people/sign-in-developer.ts';
import { signInWithPassword } from '../operations/people/sign-in-with-password.ts';
import { createAccessTokens } from '../operations/tokens/access-tokens.ts';
import type { Foundation } from './foundation.ts';

type Parts = Pick<Foundation, 'config' | 'db' | 'clock' | 'log'>;

/** Wires the sessions of the console, the ways to open one, and the tokens that they make. */
export function wireConsoleSessions(
  parts: Parts,
): Pick<ConsoleParts, 'findSession' | 'listMemberships' | 'signIn' | 'sessions' | 'makeToken'> {
  const { config, db, clock } = parts;
  const tokens = createAccessTokens({ secretKeys: config.KINORA_SECRET_KEYS, clock });
  const letsDevelopersIn = isForDevelopers(config);
  return {
    findSession: (secret) => findSession({ db, clock, letsDevelopersIn }, secret),
    listMemberships: (signedIn) => listMemberships({ db }, signedIn),
    signIn: wireSignIn(parts),
    sessions: {
      list: (personId) => db.consoleSessions.ofPerson(personId, clock.now()),
      end: (...request) => endSession({ db, clock }, ...request),
    },
    makeToken: (...request) => makeSessionToken({ db, clock, tokens }, ...request),
  };
}

function wireSignIn({ config, db, clock, log }: Parts): ConsoleSignIn {
  const letsDevelopersIn = isForDevelopers(config);
  const sessionHours = config.KINORA_CONSOLE_SESSION_HOURS;
  const passwords = createPasswords();
  const refusedSignIns = createRefusedSignIns({ db, clock, log });
  return {
    openIdName: config.KINORA_OPENID_ISSUER === null ? null : config.KINORA_OPENID_NAME,
    withPassword: (...request) =>
      signInWithPassword({ db, clock, passwords, refusedSignIns, sessionHours }, ...request),
    asDeveloper: letsDevelopersIn ? (origin) => signInDeveloper({ db, clock, sessionHours }, origin) : null,
    needsFirstOperator: async () => !(await db.people.hasOperator()),
    asFirstOperator: (...request) => makeFirstOperator({ db, clock, passwords, sessionHours }, ...request),
    withLink: (...request) => setPasswordByLink({ db, clock, passwords, sessionHours }, ...request),
    confirm: (...request) => confirmSignIn({ db, clock, passwords, letsDevelopersIn }, ...request),
    changePassword: (...request) => changePassword({ db, clock, passwords }, ...request),
  };
}

/** Whether developers sign in without a password: only in development, and only on their own machine. */
function isForDevelopers(config: Parts['config']): boolean {
  const hosts = [config.KINORA_CONSOLE_HOST, new URL(config.KINORA_CONSOLE_URL).hostname];
  return config.KINORA_ENV === 'development' && hosts.every(isLoopbackName);
}
