import type { Task } from '@kinora/sdk';

/** Returns what is happening to a task now, in a few words. */
export function stageWords(task: Task): string {
  if (task.stage === 'waiting') {
    if (task.queue_position === 1) return 'Next in the queue';
    return task.queue_position === null ? 'Waiting for a free engine' : `Position ${task.queue_position} in the queue`;
  }
  if (task.stage === 'preparing') return 'Preparing';
  if (task.stage === 'finishing') return 'Finishing';
  // Newer servers may have more stages.
  return task.stage === 'rendering' ? 'Rendering' : String(task.stage);
}
