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
  const terminate = () =>
    temporal.call(({ workflow }) =>
      Promise.allSettled(started.map((id) => workflow.getHandle(id).terminate('observed by the doctor'))),
    );
  const observe = async (client: Client): Promise<'fair' | 'unfair' | 'unknown'> => {
    const { workflowTaskQueuePartitions } = await client.workflowService.listTaskQueuePartitions({
      namespace,
      taskQueue,
    });
    if ((workflowTaskQueuePartitions?.length ?? 1) > 1) return 'unknown';
    for (const [index, project] of projects.entries()) {
      const workflowId = `${queue}-${index}-${project}`;
      await client.workflow.start('doctor', {
        workflowId,
        taskQueue: queue,
        priority: { fairnessKey: project },
        workflowExecutionTimeout: '5 minutes',
        // A task that nobody completes comes again after this time, and would be counted twice.
        workflowTaskTimeout: '1 minute',
      });
      started.push(workflowId);
    }
    let last: string | null = null;
    for (let served = 0; served < projects.length; served += 1) {
      last = await takeTask(client, namespace, queue);
      if (last === null) return 'unknown';
    }
    return last?.endsWith('second') ? 'unfair' : 'fair';
  };
  try {
    return await temporal.call(observe, seconds);
  } finally {
    await terminate().catch(() => undefined);
  }
}

/** Takes the next task from a queue, and returns the id of its workflow; null if none came. */
async function takeTask(client: Client, namespace: string, queue: string): Promise<string | null> {
  const polled = await client.workflowService.pollWorkflowTaskQueue({
    namespace,
    taskQueue: { name: queue },
    identity: 'kinora-doctor',
  });
  return polled.workflowExecution?.workflowId || null;
}
