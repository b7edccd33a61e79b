import type { Kinora, Task } from '@kinora/sdk';
import type { Call } from './define-tool.ts';

/** 50 s: many hosts abort a call after 60 s, and a result that says "not yet" must arrive before that. */
export const defaultWaitSeconds = 50;

/** The input field that says how long a tool waits. */
export const waitField = {
  type: 'integer',
  minimum: 0,
  maximum: 600,
  default: defaultWaitSeconds,
  description:
    'How many seconds to wait for the end. After that, the result is the task in its current state; the task continues, ' +
    'and wait_for_video can wait for it. Many hosts cancel a call after 60 s, so set more only if yours does not.',
};

/** Follows a task until it is final or the time is over, and returns its latest state. */
export async function watchTask(kinora: Kinora, task: Task, waitSeconds: number, call: Call): Promise<Task> {
  call.signal.throwIfAborted();
  call.report(task);
  if (task.is_final || waitSeconds === 0) return task;
  const timeLimit = AbortSignal.timeout(waitSeconds * 1000);
  try {
    const signal = AbortSignal.any([call.signal, timeLimit]);
    for await (const changed of kinora.videos.follow(task.id, { signal })) {
      task = changed;
      call.report(task);
    }
  } catch (error) {
    if (call.signal.aborted || !timeLimit.aborted) throw error;
  }
  return task;
}
