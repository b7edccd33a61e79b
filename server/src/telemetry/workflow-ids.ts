import { uuidFromId } from '../domain/id.ts';

/** The ids that a log line about a workflow carries: workflows of tasks have the id of their task, as callers see it. */
export function idsOfWorkflow(workflowId: string): { taskId: string } | { workflowId: string } {
  return uuidFromId('task', workflowId) === null ? { workflowId } : { taskId: workflowId };
}
