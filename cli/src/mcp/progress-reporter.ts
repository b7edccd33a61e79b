import type { Task } from '@kinora/sdk';
import type { Notification, ProgressToken } from '@modelcontextprotocol/server';

/** The protocol requires every report to be higher than the last, even if only its message changed. */
const smallestStep = 0.01;

/** Returns a function that reports every change of a task to the host. Without a token it reports nothing. */
export function progressReporter(
  progressToken: ProgressToken | undefined,
  notify: (notification: Notification) => Promise<void>,
): (task: Task) => void {
  let lastProgress = Number.NEGATIVE_INFINITY;
  let lastMessage = '';
  return (task) => {
    const message = progressMessage(task);
    if (progressToken === undefined || message === lastMessage) return;
    const progress = Math.max(task.progress, lastProgress + smallestStep);
    lastProgress = progress;
    lastMessage = message;
    const params = { progressToken, progress, total: 100, message };
    // If the host has disconnected, the call's signal ends the call.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/** Describes the progress of a task in words. */
export function progressMessage({ status, stage, progress, queue_position: position, attempt }: Task): string {
  const parts = [status === 'in_progress' ? `${stage}, ${progress} %` : status];
  if (status === 'queued' && position !== null) parts.push(`position ${position}`);
  if (attempt > 1) parts.push(`attempt ${attempt}`);
  return parts.join(', ');
}
