import type { Membership } from '../db/access/project-member-table.ts';
import type { Origin } from '../domain/actor.ts';
import type { Scope } from '../domain/caller.ts';
import type { Clock } from '../domain/clock.ts';
import type { ConsoleSession, SignedIn } from '../domain/console-session.ts';
import type { ProjectMode } from '../domain/project-mode.ts';
import type { HealthParts } from '../http/health-routes.ts';
import type { Log } from '../telemetry/log.ts';
import type { ConnectionClosedReason } from '../telemetry/metrics.ts';
import type { OperatorParts } from './operator-parts.ts';
import type { PeopleParts } from './people-parts.ts';
import type { StaticFiles } from './static-files.ts';

/** The console's dependencies. They throw AppErrors for people; a lost database is `overloaded`, all else internal. */
export interface ConsoleParts extends PeopleParts {
  log: Log;
  clock: Clock;
  /** Returns whether an error means that the database is unreachable for now. */
  isDatabaseUnavailable(error: unknown): boolean;
  /** The URL at which browsers reach the console; never taken from a request. */
  consoleUrl: string;
  /** The URL of the public API. */
  apiUrl: string;
  /** The origin that browsers download videos from; null if that is the API. */
  storeOrigin: string | null;
  /** Origins besides the console's own whose pages may send requests: the one of Vite in development. */
  otherOrigins: readonly string[];
  environment: 'development' | 'production';
  version: string;
  trustedProxies: readonly string[];
  /** How many requests per minute one client address may send without a session. */
  keylessPerMinute: number;
  connectionLimit: number;
  /** The built files of the console. */
  files: StaticFiles;
  /** Finds out whose session the cookie belongs to; null if nobody's. */
  findSession(secret: string): Promise<SignedIn | null>;
  /** Returns the projects of a person; all of them for operators. */
  listMemberships(signedIn: SignedIn): Promise<Membership[]>;
  signIn: ConsoleSignIn;
  sessions: {
    list(personId: string): Promise<ConsoleSession[]>;
    /** Ends a session. Only operators can end those of others. */
    end(signedIn: SignedIn, sessionId: string, origin: Origin): Promise<void>;
  };
  /** Makes a token for the public API that can do what the person may do in the project now. */
  makeToken(
    signedIn: SignedIn,
    projectMode: ProjectMode,
  ): Promise<{ token: string; expiresAt: Date; scopes: readonly Scope[] }>;
  operators: OperatorParts;
  readiness: HealthParts['readiness'];
  onConnectionClosed(reason: ConnectionClosedReason): void;
  onRouteTime(route: string, method: string, status: number, seconds: number): void;
}

/** The ways to sign in. Those that open a session return its secret, for the cookie. */
export interface ConsoleSignIn {
  /** The name of the identity provider; null if there is none. */
  openIdName: string | null;
  withPassword(given: { email: string; password: string }, origin: Origin): Promise<string>;
  /** Signs a developer in without a password; null unless this is a development server on loopback. */
  asDeveloper: ((origin: Origin) => Promise<string>) | null;
  /** Returns whether nobody can run the installation yet. */
  needsFirstOperator(): Promise<boolean>;
  asFirstOperator(
    given: { token: string; email: string; name: string; password: string },
    origin: Origin,
  ): Promise<string>;
  /** Sets the password of the person whom a one-time link is for. */
  withLink(given: { token: string; password: string }, origin: Origin): Promise<string>;
  /** Makes the sign-in of a session fresh. */
  confirm(signedIn: SignedIn, password: string, origin: Origin): Promise<void>;
  /** Changes the password and ends the person's other sessions. */
  changePassword(signedIn: SignedIn, given: { password: string; newPassword: string }, origin: Origin): Promise<void>;
}
