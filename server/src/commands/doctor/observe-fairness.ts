import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { TemporalClient } from './temporal-client.ts';

/** The backlog of the first project. Its last task would come before that of the second project without fairness. */
const backlog = 4;
/** The limit of all calls together. */
const seconds = 15;

/**
 * Observes whether Temporal serves projects in turn, because no API tells whether fairness is on. On a queue of its own,
 * which no worker polls, it starts some workflows for one project and then one for another, and takes their tasks from the
 * queue. With fairness, the second project does not come last. Returns `unknown` if the queue has several partitions.
 */
export async function observeFairness(temporal: TemporalClient): Promise<'fair' | 'unfair' | 'unknown'> {
  const { namespace } = temporal;
  const queue = `kinora-doctor-${randomUUID()}`;
  const taskQueue = { name: queue };
  const projects = [...Array.from({ length: backlog }, () => 'first'), 'second'];
  const started: string[] = [];
  return temporal.call(async (client) => {
    const { workflowTaskQueuePartitions } = await client.workflowService.listTaskQueuePartitions({
      namespace,
      taskQueue,
    });
    if ((workflowTaskQueuePartitions?.length ?? 1) > 1) return 'unknown';
    try {
      for (const [index, project] of projects.entries()) {
        const workflowId = `${queue}-${index}-${project}`;
        await client.workflow.start('doctor', {
          workflowId,
          taskQueue: queue,
          priority: { fairnessKey: project },
          workflowExecutionTimeout: '5 minutes',
        });
        started.push(workflowId);
      }
      const served: string[] = [];
      while (served.length < projects.length) served.push(await takeTask(client, namespace, queue));
      return served.at(-1)?.endsWith('second') ? 'unfair' : 'fair';
    } finally {
      await Promise.allSettled(started.map((id) => client.workflow.getHandle(id).terminate('observed by the doctor')));
    }
  }, seconds);
}

/** Takes the next task from a queue, and returns the id of its workflow. */
async function takeTask(client: Client, namespace: string, queue: string): Promise<string> {
  const polled = await client.workflowService.pollWorkflowTaskQueue({
    namespace,
    taskQueue: { name: queue },
    identity: 'kinora-doctor',
  });
  return polled.workflowExecution?.workflowId ?? '';
}
