import type { Readable } from 'node:stream';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { Task } from '../../domain/task.ts';
import { AppError } from '../../errors.ts';
import type { ByteRange, Storage } from '../../storage/storage.ts';
import { readSignedTask } from './read-signed-task.ts';
import { findOwnTask } from './read-task.ts';

export type FileVariant = 'video' | 'thumbnail' | 'spritesheet';

export interface ReadableFile {
  objectKey: string;
  sizeBytes: number;
  contentType: string;
  open(range?: ByteRange): Promise<Readable>;
}

interface Dependencies {
  db: Pick<Database, 'tasks' | 'taskViews'>;
  storage: Pick<Storage, 'head' | 'read'>;
  clock: Clock;
}

/** Opens a completed task's file. Without `owner`, a signature was checked. `beforeRead` gets its owner; may throw. */
export async function readFile(
  { db, storage, clock }: Dependencies,
  taskId: string,
  variant: FileVariant,
  owner: ProjectMode | null,
  beforeRead: (owner: ProjectMode) => void = () => undefined,
): Promise<ReadableFile> {
  const task = owner ? await findOwnTask({ db }, owner, taskId) : (await readSignedTask({ db }, taskId)).task;
  if (task.status !== 'completed') throw new AppError('not_found', { message: whyThereIsNone(task.status) });
  if (task.expiresAt.getTime() <= clock.now().getTime()) throw new AppError('video_expired');
  const objectKey = {
    video: task.video.objectKey,
    thumbnail: task.video.thumbnailKey,
    spritesheet: task.video.spritesheetKey,
  }[variant];
  beforeRead({ projectId: task.projectId, livemode: task.livemode });
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

function whyThereIsNone(status: Exclude<Task['status'], 'completed'>): string {
  return status === 'queued' || status === 'in_progress'
    ? `The video isn't ready yet (status: ${status}). Download it once the task has completed.`
    : `The task ${status === 'failed' ? 'failed' : 'was cancelled'}, so there is no video to download.`;
}

function refuseForNow(cause: unknown): never {
  throw new AppError('overloaded', { cause, retryAfterSeconds: 5 });
}
