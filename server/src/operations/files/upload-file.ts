import type { Database } from '../../db/database.ts';
import type { StoredFile } from '../../db/tasks/file-table.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import { newId } from '../../domain/id.ts';
import { uploadKey } from '../../domain/object-key.ts';
import { AppError } from '../../errors.ts';
import type { Images } from '../../media/images.ts';
import type { Storage } from '../../storage/storage.ts';
import { fileLifetimeHours } from './find-file.ts';
import { normaliseImage, refuseUnavailableStore } from './normalise-image.ts';
import { refuseFullUploads } from './refuse-full-storage.ts';

const lifetimeMilliseconds = fileLifetimeHours * 60 * 60 * 1000;

interface Dependencies {
  db: Database;
  images: Images;
  storage: Storage;
  clock: Clock;
}

/** Stores an image for a day, so that tasks can use it by its id. */
export async function uploadFile(
  { db, images, storage, clock }: Dependencies,
  { projectId, livemode, keyId }: Pick<Caller, 'projectId' | 'livemode' | 'keyId'>,
  upload: { name: string | null; bytes: Uint8Array },
): Promise<StoredFile> {
  const { bytes, contentType, ...image } = await normaliseImage(images, projectId, upload.bytes, 'file');
  const createdAt = clock.now();
  const id = newId('file', createdAt, projectId);
  const file: StoredFile = {
    id,
    projectId,
    livemode,
    keyId,
    objectKey: uploadKey(id, image.sha256),
    name: upload.name,
    contentType,
    sizeBytes: bytes.byteLength,
    ...image,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + lifetimeMilliseconds),
  };
  // The row comes first: no caller knows its id yet, and the object that a crash leaves behind expires with it.
  if (!(await db.files.insert(file))) {
    const quota = await db.projectSlots.createQuotaState({ projectId, livemode }, null);
    if (quota) refuseFullUploads(quota.storage, file.sizeBytes);
    // Since the refusal, another file was deleted.
    throw new AppError('storage_limit_reached', {
      retryAfterSeconds: 1,
      message: 'Storage limit reached, but a file has just been deleted. Try again in 1 s.',
    });
  }
  await storage.put(file.objectKey, bytes, contentType).catch(refuseUnavailableStore);
  return file;
}
