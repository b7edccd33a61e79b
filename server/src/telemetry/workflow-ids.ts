import { uuidFromId } from '../domain/id.ts';

/** Returns the id for a log line about a workflow. The workflow of a task has the id of the task, as callers see it. */
export function idsOfWorkflow(workflowId: string): { taskId: string } | { workflowId: string } {
  return uuidFromId('task', workflowId) === null ? { workflowId } : { taskId: workflowId };
}
