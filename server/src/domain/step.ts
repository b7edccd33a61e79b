/** The input of a task's workflow. */
export interface GenerateVideoInput {
  taskId: string;
  /** The pool that serves the task. The queue names are derived from it. */
  pool: string;
  enter?: 'generate' | 'follow';
}

/** A task's next step. `ended`: the workflow is not needed, as a final status is committed or the task waits again. */
export type Step = 'generate' | 'follow' | 'finish' | 'ended';
