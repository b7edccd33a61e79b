import type { Task } from '../../domain/task.ts';
import type { TaskView } from '../../domain/task-view.ts';
import type { Log } from '../../telemetry/log.ts';
import type { PublicTask } from '../schemas/task-schema.ts';
import { presentTask, type TaskLinks } from './present-task.ts';

interface Parts {
  links: (task: Task, signedUntil?: Date) => Promise<TaskLinks>;
  log: Log;
}

/** Returns a task as callers see it, with fresh URLs. */
export async function presentWithLinks(
  view: TaskView,
  parts: Parts,
): Promise<{ task: PublicTask; links: TaskLinks | null }> {
  const links = await signLinks(view, parts);
  return { task: presentTask(view, links), links };
}

/** Signs the URLs of a task. Returns null if that fails, so that a read still shows the task, without URLs. */
export async function signLinks(
  { task }: TaskView,
  { links, log }: Parts,
  signedUntil?: Date,
): Promise<TaskLinks | null> {
  try {
    return await links(task, signedUntil);
  } catch (error) {
    log.error({ event: 'links.sign_failed', err: error, taskId: task.id }, 'URLs not signed');
    return null;
  }
}
