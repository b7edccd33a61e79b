/** What the workflow of a task is started with. */
export interface GenerateVideoInput {
  taskId: string;
  /** Which engines serve it: the names of the queues follow from it. */
  pool: string;
  enter?: 'generate' | 'follow';
}

/** Where a task stands between two activities. `ended`: a final status is committed. */
export type Step = 'generate' | 'follow' | 'finish' | 'ended';
