import { dayOfId, uuidFromId } from './id.ts';

/** Everything of a task lies under its day and id, so that a sweep can go day by day and find the row of each object. */
export function taskFolder(taskId: string): string {
  return `${dayOfId('task', taskId)}/${taskId}`;
}

/** What an engine delivered in one attempt. That it exists is the record that rendering is done. */
export function rawKey(taskId: string, attempt: number): string {
  return `${taskFolder(taskId)}/raw-${attempt}`;
}

/** A finished file is named by its content, so that it is written once and never overwritten with something else. */
export function contentKey(taskId: string, sha256: string, extension: 'mp4' | 'jpg' | 'png'): string {
  return `${taskFolder(taskId)}/${sha256}.${extension}`;
}

/** An uploaded image, which belongs to no task. Its row is older than the object, so no sweep needs to look for it. */
export function uploadKey(fileId: string, sha256: string): string {
  return `uploads/${dayOfId('file', fileId)}/${fileId}/${sha256}.png`;
}

/** The task an object belongs to, by its key alone; null for what is not ours. */
export function taskOfKey(key: string): string | null {
  const taskId = /^\d{4}-\d{2}-\d{2}\/(task_[0-9a-z]{26})\/[^/]+$/.exec(key)?.[1];
  return taskId !== undefined && uuidFromId('task', taskId) !== null ? taskId : null;
}
