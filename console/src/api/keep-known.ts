import type { Task } from '@kinora/sdk';

/** Links that expire within a minute are not worth keeping. */
const leastSeconds = 60;

/** Keeps the known task if a read brought nothing new, because new links make the browser load pictures again. */
export function keepKnown(known: Task, read: Task, nowMilliseconds: number): Task {
  const isSame =
    known.status === read.status &&
    known.attempt === read.attempt &&
    known.stage === read.stage &&
    known.progress === read.progress &&
    known.progress_source === read.progress_source &&
    known.queue_position === read.queue_position &&
    known.estimated_completion_at === read.estimated_completion_at;
  return isSame && hasWorkingLinks(known, nowMilliseconds) ? known : read;
}

/** Whether the links of a task still work for a while. True if it has none and will get none. */
export function hasWorkingLinks({ video }: Pick<Task, 'video'>, nowMilliseconds: number): boolean {
  const expiresAt = video?.url_expires_at ?? Number.POSITIVE_INFINITY;
  return expiresAt > nowMilliseconds / 1000 + leastSeconds;
}
