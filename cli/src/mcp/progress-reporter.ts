import type { Task } from '@kinora/sdk';
import type { Notification, ProgressToken } from '@modelcontextprotocol/server';

/** The protocol wants every report to be higher than the one before, also where only the words have changed. */
const smallestStep = 0.01;

/** Tells the host of every change of a task; without a token it does not want to know. */
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
    // A host that has hung up does not hear it; the call ends by its signal.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/** How far a task is, in words. */
export function progressMessage({ status, stage, progress, queue_position: position, attempt }: Task): string {
  const parts = [status === 'in_progress' ? `${stage}, ${progress} %` : status];
  if (status === 'queued' && position !== null) parts.push(`position ${position}`);
  if (attempt > 1) parts.push(`attempt ${attempt}`);
  return parts.join(', ');
}
