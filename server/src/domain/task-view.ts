import type { Task, TaskStage } from './task.ts';

/** A task with what is known of it at this moment. */
export interface TaskView {
  task: Task;
  /** The last that was heard of its rendering; null if nothing was, or if it was lost. */
  live: {
    attempt: number;
    stage: TaskStage;
    progress: number;
    progressSource: 'engine' | 'estimated' | 'none';
  } | null;
  /** Of the project, in this mode. */
  activeTasks: number;
  readsPerMinute: number;
  /** What can be said of its future. Left out where an answer is kept and repeated: it would be old by then. */
  outlook?: { queuePosition: number | null; expectedEndAt: Date | null } | undefined;
}
