import type { Database } from '../../db/database.ts';
import { type Scope } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { roleIn, type SignedIn } from '../../domain/console-session.ts';
import { uuidFromId } from '../../domain/id.ts';
import { scopesOfPerson } from '../../domain/person.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { AppError } from '../../errors.ts';
import type { AccessTokens } from '../tokens/access-tokens.ts';
import { ensurePersonKey } from './ensure-person-key.ts';

/** 10 minutes, the longest life of any token. */
const tokenMilliseconds = 10 * 60_000;

/** Makes a token with which the pages of a session call the public API. It dies with the session or the membership. */
export async function makeSessionToken(
  { db, clock, tokens }: { db: Pick<Database, 'projects' | 'apiKeys'>; clock: Clock; tokens: AccessTokens },
  signedIn: SignedIn,
  owner: ProjectMode,
): Promise<{ token: string; expiresAt: Date; scopes: readonly Scope[] }> {
  const { person, session } = signedIn;
  const role = roleIn(signedIn, owner.projectId);
  const noProject = new AppError('not_found', { message: 'Project not found, or you are not a member of it.' });
  // Members know that their project exists; operators may name any.
  if (role === null || uuidFromId('proj', owner.projectId) === null) throw noProject;
  if (person.isOperator && !(await db.projects.find(owner.projectId))) throw noProject;
  const now = clock.now();
  const keyId = await ensurePersonKey(db, { person, owner, now });
  const expiresAt = new Date(Math.min(now.getTime() + tokenMilliseconds, session.expiresAt.getTime()));
  const scopes = scopesOfPerson({ isOperator: person.isOperator, role });
  const token = tokens.issue({ keyId, sessionId: session.id, scopes, taskId: null, expiresAt });
  return { token, expiresAt, scopes };
}
