/** The input of a task's workflow. */
export interface GenerateVideoInput {
  taskId: string;
  /** The pool that serves the task. The queue names are derived from it. */
  pool: string;
  enter?: 'generate' | 'follow';
}

/**
 * The next step of a task, between two activities. `ended` means that the workflow is no longer needed: a final status
 * is committed, or the task waits for admission again.
 */
export type Step = 'generate' | 'follow' | 'finish' | 'ended';
