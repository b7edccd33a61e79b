import type { Task, TaskStage } from './task.ts';

/** A task with its current progress and forecast. */
export interface TaskView {
  task: Task;
  /** The last reported progress; null if none was reported, or if it was lost. */
  live: {
    attempt: number;
    stage: TaskStage;
    progress: number;
    progressSource: 'engine' | 'estimated' | 'none';
  } | null;
  /** The project's queued and running tasks in this mode. */
  activeTasks: number;
  readsPerMinute: number;
  /**
   * The task's place in the queue and its expected end. Left out of a response that is stored for replays, because it
   * would be outdated by then.
   */
  forecast?: { queuePosition: number | null; expectedEndAt: Date | null; isUnserved: boolean } | undefined;
}
