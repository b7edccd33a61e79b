import { dayOfId, uuidFromId } from './id.ts';

/** A task's folder has its day and id, so that a sweep can go day by day and find each object's row. */
export function taskFolder(taskId: string): string {
  return `${dayOfId('task', taskId)}/${taskId}`;
}

/** The file that an engine delivered in one attempt. Its existence records that rendering is done. */
export function rawKey(taskId: string, attempt: number): string {
  return `${taskFolder(taskId)}/raw-${attempt}`;
}

/** Returns the key of a finished file. It is named by its content, so it is never overwritten with something else. */
export function contentKey(taskId: string, sha256: string, extension: 'mp4' | 'jpg' | 'png'): string {
  return `${taskFolder(taskId)}/${sha256}.${extension}`;
}

/** Returns the key of an uploaded image. Its row is written before the object, so no sweep needs to look for it. */
export function uploadKey(fileId: string, sha256: string): string {
  return `uploads/${dayOfId('file', fileId)}/${fileId}/${sha256}.png`;
}

/** Returns the task that an object belongs to, from its key alone, or null for any other key. */
export function taskOfKey(key: string): string | null {
  const taskId = /^\d{4}-\d{2}-\d{2}\/(task_[0-9a-z]{26})\/[^/]+$/.exec(key)?.[1];
  return taskId !== undefined && uuidFromId('task', taskId) !== null ? taskId : null;
}
