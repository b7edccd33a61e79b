import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Stack } from '@kinora/stack/parts/stack';
import { Client, Connection } from '@temporalio/client';
import { startBareProgram } from './start-bare-program.ts';

export interface BareWorker extends AsyncDisposable {
  pid: number;
  /** Starts a workflow of three activities and waits for its result. */
  runWorkflow(): Promise<void>;
}

const taskQueue = 'bare';

/** Starts a worker on the Temporal of the stack, in the namespace of Kinora but with a task queue of its own. */
export async function startBareWorker(stack: Stack): Promise<BareWorker> {
  const { temporalAddress: address, temporalNamespace: namespace } = stack.info;
  const args = [join(import.meta.dirname, 'bare-worker.ts'), address, namespace, taskQueue];
  const { pid, stop } = await startBareProgram(stack, { name: 'bare worker', args, ready: /^polling$/ });
  const connection = await Connection.connect({ address, connectTimeout: '10s' });
  const { workflow } = new Client({ connection, namespace });
  return {
    pid,
    runWorkflow: () => workflow.execute('bareWorkflow', { taskQueue, workflowId: `bare-${randomUUID()}` }),
    [Symbol.asyncDispose]: async () => {
      await connection.close();
      await stop();
    },
  };
}
