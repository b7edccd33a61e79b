import type { Tables } from '../../db/database.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { AppError } from '../../errors.ts';

/**
 * Returns a key of this owner, or any key if there is no owner, and locks the keys of its project until the transaction
 * ends. A foreign, malformed or unknown id is "not found".
 */
export async function findOwnKey({ apiKeys }: Pick<Tables, 'apiKeys'>, keyId: string, owner: ProjectMode | null) {
  const found = uuidFromId('key', keyId) === null ? null : await apiKeys.find(keyId);
  const isOwn = !owner || (found?.projectId === owner.projectId && found.livemode === owner.livemode);
  if (!found || !isOwn) throw new AppError('not_found', { message: 'There is no API key with this id.' });
  await apiKeys.lockProject(found.projectId);
  // The key may have changed while this waited for the lock. Keys are never deleted.
  return (await apiKeys.find(keyId)) ?? found;
}
