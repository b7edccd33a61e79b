import type { Readable } from 'node:stream';
import type { Database } from '../db/database.ts';
import { uuidFromId } from '../domain/id.ts';
import { AppError } from '../errors.ts';
import type { ByteRange, Storage } from '../storage/storage.ts';

export type FileVariant = 'video' | 'thumbnail' | 'spritesheet';

export interface ReadableFile {
  objectKey: string;
  sizeBytes: number;
  contentType: string;
  open(range?: ByteRange): Promise<Readable>;
}

/** A file of a completed task, ready to be streamed. Whoever calls this has checked a signature or a key. */
export async function readFile(
  { db, storage }: { db: Database; storage: Storage },
  taskId: string,
  variant: FileVariant,
): Promise<ReadableFile> {
  const task = uuidFromId('task', taskId) === null ? null : await db.tasks.find(taskId);
  if (task?.status !== 'completed') throw new AppError('task_not_found');
  const objectKey = {
    video: task.video.objectKey,
    thumbnail: task.video.thumbnailKey,
    spritesheet: task.video.spritesheetKey,
  }[variant];
  const head = await storage.head(objectKey).catch(refuseForNow);
  if (!head) throw new AppError('video_expired');
  return {
    objectKey,
    sizeBytes: head.sizeBytes,
    contentType: variant === 'video' ? 'video/mp4' : 'image/jpeg',
    open: async (range) => {
      const body = await storage.read(objectKey, range).catch(refuseForNow);
      if (!body) throw new AppError('video_expired');
      return body;
    },
  };
}

function refuseForNow(cause: unknown): never {
  throw new AppError('overloaded', { cause, retryAfterSeconds: 5 });
}
