import type { ProjectRole } from '../domain/person.ts';

/**
 * `page` is the console itself and health checks. `anyone` needs no session, but counts against the limit of the client's
 * address. The others need a session: of any person, of a member of the project in the path with at least this role, or
 * of an operator. With `isFresh`, the person must have proved who they are within ten minutes.
 */
export type ConsoleAccess = 'page' | 'anyone' | { isFresh: boolean; role: 'person' | 'operator' | ProjectRole };

const person: ConsoleAccess = { role: 'person', isFresh: false };
const freshPerson: ConsoleAccess = { role: 'person', isFresh: true };
const member: ConsoleAccess = { role: 'viewer', isFresh: false };
const admin: ConsoleAccess = { role: 'admin', isFresh: false };
const freshAdmin: ConsoleAccess = { role: 'admin', isFresh: true };
const operator: ConsoleAccess = { role: 'operator', isFresh: false };
const freshOperator: ConsoleAccess = { role: 'operator', isFresh: true };

/** Who may use which route. Registering a route that is not listed here throws, so none can be forgotten. */
export const consoleAccess: Readonly<Record<string, ConsoleAccess>> = {
  'GET /': 'page',
  'GET /*': 'page',
  'GET /healthz': 'page',
  'GET /readyz': 'page',
  'GET /console-api/session': 'anyone',
  'POST /console-api/sign-in': 'anyone',
  'POST /console-api/sign-in/development': 'anyone',
  'POST /console-api/first-operator': 'anyone',
  'POST /console-api/password-reset': 'anyone',
  'GET /console-api/openid/start': 'anyone',
  'GET /console-api/openid/callback': 'anyone',
  'POST /console-api/confirm': person,
  'POST /console-api/password': freshPerson,
  'POST /console-api/sign-out': person,
  'GET /console-api/sessions': person,
  // Their own; operators end those of others.
  'DELETE /console-api/sessions/:session_id': person,
  // The project is in the body: the route checks the membership.
  'POST /console-api/tokens': person,
  'GET /console-api/projects/:project_id/callers': member,
  'GET /console-api/projects/:project_id/members': admin,
  'POST /console-api/projects/:project_id/members': freshAdmin,
  'PUT /console-api/projects/:project_id/members/:person_id': freshAdmin,
  'DELETE /console-api/projects/:project_id/members/:person_id': freshAdmin,
  'GET /console-api/people': operator,
  'POST /console-api/people': freshOperator,
  'PATCH /console-api/people/:person_id': freshOperator,
  'POST /console-api/people/:person_id/password-reset': freshOperator,
  'GET /console-api/projects': operator,
  'POST /console-api/projects': operator,
  'PATCH /console-api/projects/:project_id': operator,
  'GET /console-api/engines': operator,
  'POST /console-api/engines/:endpoint_id/drain': freshOperator,
  'POST /console-api/engines/:endpoint_id/resume': freshOperator,
  'GET /console-api/backlog': operator,
  'GET /console-api/health': operator,
  'POST /console-api/doctor': operator,
  'GET /console-api/audit-events': operator,
};

/** Returns the access of a route, or null if it is not listed. HEAD needs the same access as GET. */
export function consoleAccessOf(method: string, url: string): ConsoleAccess | null {
  return consoleAccess[`${method === 'HEAD' ? 'GET' : method} ${url}`] ?? null;
}
