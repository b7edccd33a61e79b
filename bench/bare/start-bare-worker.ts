import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { eventually } from '@kinora/stack/harness/eventually';
import { lastLines, startProcess } from '@kinora/stack/parts/processes';
import type { Stack } from '@kinora/stack/parts/stack';
import { Client, Connection } from '@temporalio/client';

export interface BareWorker {
  pid: number;
  /** Starts a workflow of three activities and waits for its result. */
  runWorkflow(): Promise<void>;
  stop(): Promise<void>;
}

const taskQueue = 'bare';

/** Starts a worker on the Temporal of the stack, in the namespace of Kinora but with a task queue of its own. */
export async function startBareWorker({ info }: Stack): Promise<BareWorker> {
  const { temporalAddress: address, temporalNamespace: namespace } = info;
  const logPath = join(info.folder, 'bare-worker.log');
  let isPolling = false;
  let hasExited = false;
  const child = startProcess({
    name: 'bare worker',
    command: process.execPath,
    arguments: [join(import.meta.dirname, 'bare-worker.ts'), address, namespace, taskQueue],
    logPath,
    onLine: (line) => {
      isPolling ||= line === 'polling';
    },
  });
  void child.exited.then(() => {
    hasExited = true;
  });
  await eventually('the bare worker polls', () => isPolling || hasExited);
  if (!isPolling) throw new Error(`the bare worker ended while it started:\n${lastLines(logPath, 15)}`);
  const connection = await Connection.connect({ address, connectTimeout: '10s' });
  const { workflow } = new Client({ connection, namespace });
  return {
    pid: child.pid,
    runWorkflow: () => workflow.execute('bareWorkflow', { taskQueue, workflowId: `bare-${randomUUID()}` }),
    stop: async () => {
      await connection.close();
      child.kill();
      await child.exited;
    },
  };
}
