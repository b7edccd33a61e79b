import type { Clock } from '../domain/clock.ts';
import type { Task } from '../domain/task.ts';
import type { FileVariant } from '../operations/read-file.ts';
import type { Storage } from '../storage/storage.ts';
import type { TaskLinks } from './present-task.ts';
import type { UrlSigner } from './signed-urls.ts';

const linkLifetimeMilliseconds = 60 * 60 * 1000;

/** Signs fresh URLs for a task's files: straight at the store where it has a public endpoint, otherwise through the API. */
export function createTaskLinks({
  signer,
  storage,
  clock,
}: {
  signer: UrlSigner;
  storage: Pick<Storage, 'publicUrl'>;
  clock: Clock;
}) {
  return async (task: Task): Promise<TaskLinks | null> => {
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
