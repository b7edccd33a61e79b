import type { Clock } from '../../domain/clock.ts';
import type { Task } from '../../domain/task.ts';
import type { FileVariant } from '../../operations/tasks/read-file.ts';
import type { Storage } from '../../storage/storage.ts';
import type { FileLinks, TaskLinks } from './present-task.ts';
import type { UrlSigner } from './url-signer.ts';

const linkLifetimeMilliseconds = 60 * 60 * 1000;
/** The variant that an events_url is signed for, so that its signature opens nothing else. */
export const eventsVariant = 'events';

interface Parts {
  signer: UrlSigner;
  storage: Pick<Storage, 'publicUrl'>;
  clock: Clock;
}

/** Signs fresh URLs for the events of a task, and for its files if it has any. A deleted task has neither. */
export function createTaskLinks({ signer, storage, clock }: Parts) {
  const eventsUrl = createEventsUrl({ signer, clock });
  const fileLinks = createFileLinks({ signer, storage, clock });
  return async (task: Task): Promise<TaskLinks> => {
    if (task.deletedAt !== null) return { eventsUrl: null, files: null };
    return { eventsUrl: eventsUrl(task.id), files: await fileLinks(task) };
  };
}

/** Signs the URL of a task's events for an hour; it needs no header, so it works in a browser's EventSource. */
export function createEventsUrl({ signer, clock }: Omit<Parts, 'storage'>): (taskId: string) => string {
  return (taskId) => {
    const expiresAt = new Date(clock.now().getTime() + linkLifetimeMilliseconds);
    return signer.sign(eventsPath(taskId), eventsVariant, expiresAt);
  };
}

/** Signs URLs of files: of the store itself if it has a public endpoint, otherwise of the API. */
function createFileLinks({ signer, storage, clock }: Parts) {
  return async (task: Task): Promise<FileLinks | null> => {
    if (task.status !== 'completed') return null;
    const now = clock.now().getTime();
    if (task.expiresAt.getTime() <= now) return null;
    const urlExpiresAt = new Date(Math.min(now + linkLifetimeMilliseconds, task.expiresAt.getTime()));
    const expiresInSeconds = Math.max(1, Math.floor((urlExpiresAt.getTime() - now) / 1000));

    const link = async (variant: FileVariant, objectKey: string, contentType: string) =>
      (await storage.publicUrl(objectKey, { expiresInSeconds, contentType })) ??
      signer.sign(contentPath(task.id), variant, urlExpiresAt);

    const [videoUrl, thumbnailUrl, spritesheetUrl] = await Promise.all([
      link('video', task.video.objectKey, 'video/mp4'),
      link('thumbnail', task.video.thumbnailKey, 'image/jpeg'),
      link('spritesheet', task.video.spritesheetKey, 'image/jpeg'),
    ]);
    return { videoUrl, thumbnailUrl, spritesheetUrl, urlExpiresAt };
  };
}

/** The path whose signature opens a task's files. */
export function contentPath(taskId: string): string {
  return `/v1/videos/${taskId}/content`;
}

/** The path whose signature opens a task's events. */
export function eventsPath(taskId: string): string {
  return `/v1/videos/${taskId}/events`;
}
