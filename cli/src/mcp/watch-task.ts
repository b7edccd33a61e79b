import type { Kinora, Task } from '@kinora/sdk';
import type { Call } from './define-tool.ts';

/** Many hosts give a call up after a minute: an answer that says "not yet" must come before. */
export const defaultWaitSeconds = 50;

/** How long a tool may wait, as a field of its input. */
export const waitField = {
  type: 'integer',
  minimum: 0,
  maximum: 600,
  default: defaultWaitSeconds,
  description:
    'How many seconds to wait for the end. When they are over the answer is the task as it is then; it goes on, and ' +
    'wait_for_video waits on. Many hosts give a call up after 60 s, so ask for more only if yours does not.',
};

/** Follows a task until it is final or the time is over; hands it back as it is then. */
export async function watchTask(kinora: Kinora, task: Task, waitSeconds: number, call: Call): Promise<Task> {
  call.signal.throwIfAborted();
  call.report(task);
  if (task.is_final || waitSeconds === 0) return task;
  const patience = AbortSignal.timeout(waitSeconds * 1000);
  try {
    const signal = AbortSignal.any([call.signal, patience]);
    for await (const changed of kinora.videos.follow(task.id, { signal })) {
      task = changed;
      call.report(task);
    }
  } catch (error) {
    if (call.signal.aborted || !patience.aborted) throw error;
  }
  return task;
}
