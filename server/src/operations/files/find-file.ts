import type { Database } from '../../db/database.ts';
import type { StoredFile } from '../../db/tasks/file-table.ts';
import type { KeyHolder } from '../../domain/actor.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import { AppError } from '../../errors.ts';
import type { Storage } from '../../storage/storage.ts';
import { recordAuditEvent } from '../audit/record-audit-event.ts';

/** How long an uploaded file is kept. Tasks that use it have their own copies. */
export const fileLifetimeHours = 24;

interface Dependencies {
  db: Database;
  clock: Clock;
}

/** Returns a file of the caller's project and mode. Any other id, even an expired one, is the same "not found". */
export async function findFile({ db, clock }: Dependencies, caller: ProjectMode, id: string): Promise<StoredFile> {
  return (isFileId(id) && (await db.files.find(caller, id, clock.now()))) || notFound();
}

/** Deletes a file at once; tasks have their own copies. Can be repeated while the audit log remembers it. */
export async function deleteFile(
  { db, storage, clock }: Dependencies & { storage: Storage },
  caller: KeyHolder,
  id: string,
): Promise<void> {
  if (!isFileId(id)) notFound();
  const file = await db.transaction(async (tables) => {
    const now = clock.now();
    const expired = await tables.files.expire(caller, id, now);
    if (!expired) return (await tables.auditEvents.hasDeletion(caller, 'file.deleted', id)) ? null : notFound();
    await recordAuditEvent(tables, caller, { action: 'file.deleted', objectId: id }, now);
    return expired;
  });
  if (!file) return;
  // The row is already marked as expired, so if this fails, the job that deletes expired files repeats it.
  await storage
    .delete([file.objectKey])
    .then(() => db.files.delete([id]))
    .catch(() => undefined);
}

export function isFileId(id: string): boolean {
  return uuidFromId('file', id) !== null;
}

function notFound(): never {
  throw new AppError('not_found', {
    message: `There is no file with this id. Files are kept for ${fileLifetimeHours} hours.`,
  });
}
