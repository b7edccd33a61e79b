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

/** Signs fresh URLs for a task's events and files. For a holder of a signed URL, none outlives it (`signedUntil`). */
export function createTaskLinks({ signer, storage, clock }: Parts) {
  const eventsUrl = createEventsUrl({ signer, clock });
  const fileLinks = createFileLinks({ signer, storage, clock });
  return async (task: Task, signedUntil?: Date): Promise<TaskLinks> => {
    if (task.deletedAt !== null) return { eventsUrl: null, files: null };
    return { eventsUrl: eventsUrl(task.id, signedUntil), files: await fileLinks(task, signedUntil) };
  };
}

/** Signs the URL of a task's events for an hour; it needs no header, so it works in a browser's EventSource. */
export function createEventsUrl({ signer, clock }: Omit<Parts, 'storage'>) {
  return (taskId: string, signedUntil?: Date): string =>
    signer.sign(eventsPath(taskId), eventsVariant, linkExpiry(clock.now(), signedUntil));
}

/** Signs URLs of files: of the store itself if it has a public endpoint, otherwise of the API. */
function createFileLinks({ signer, storage, clock }: Parts) {
  return async (task: Task, signedUntil?: Date): Promise<FileLinks | null> => {
    if (task.status !== 'completed') return null;
    const now = clock.now();
    if (task.expiresAt <= now) return null;
    const urlExpiresAt = linkExpiry(now, signedUntil, task.expiresAt);
    const expiresInSeconds = Math.max(1, Math.floor((urlExpiresAt.getTime() - now.getTime()) / 1000));

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

/** Returns the end of a link that is signed now: in an hour, or at the earliest of these limits. */
function linkExpiry(now: Date, ...limits: readonly (Date | undefined)[]): Date {
  const ends = limits.flatMap((limit) => (limit ? [limit.getTime()] : []));
  return new Date(Math.min(now.getTime() + linkLifetimeMilliseconds, ...ends));
}

/** The path whose signature opens a task's files. */
export function contentPath(taskId: string): string {
  return `/v1/videos/${taskId}/content`;
}

/** The path whose signature opens a task's events. */
export function eventsPath(taskId: string): string {
  return `/v1/videos/${taskId}/events`;
}
