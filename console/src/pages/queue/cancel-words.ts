import { formatCount } from '../../design/format.ts';

/** Returns `1 task` or `12 tasks`. */
export function tasksInWords(count: number): string {
  return count === 1 ? '1 task' : `${formatCount(count)} tasks`;
}

/** Says what a cancellation of these tasks will do. */
export function whatCancelDoes({ running, waiting }: { running: number; waiting: number }): string {
  const parts: string[] = [];
  if (running > 0) {
    parts.push(
      running === 1
        ? 'One is running: its engine stops, and what it has rendered is lost.'
        : `${formatCount(running)} are running: their engines stop, and what they have rendered is lost.`,
    );
  }
  if (waiting > 0) {
    parts.push(
      waiting === 1
        ? 'One is waiting and leaves the queue.'
        : `${formatCount(waiting)} are waiting and leave the queue.`,
    );
  }
  const isOne = running + waiting === 1;
  const first = parts.join(' ');
  return `${isOne ? first.replace('One is', 'It is') : first} This cannot be undone.`;
}

export interface CancelResult {
  cancelled: number;
  alreadyEnded: number;
  failed: number;
}

/** Says how a cancellation went. */
export function howCancelWent({ cancelled, alreadyEnded, failed }: CancelResult): string {
  const parts = [`${tasksInWords(cancelled)} cancelled`];
  if (alreadyEnded > 0) parts.push(`${formatCount(alreadyEnded)} had already ended`);
  if (failed > 0) parts.push(`${formatCount(failed)} could not be cancelled`);
  return `${parts.join(', ')}.`;
}
