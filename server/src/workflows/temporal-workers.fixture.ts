import { forAllTests } from '@kinora/stack/harness/for-all-tests';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { GenerateVideoInput } from '../domain/step.ts';
import { connectTemporal, type TestTemporal } from '../operations/queue/temporal.fixture.ts';
import { installQuietRuntime } from './workflow-runtime.fixture.ts';

interface TestWorkers extends TestTemporal {
  createWorker(options: WorkerOptions): Promise<Worker>;
  /** Runs workers until the function that it returns is called. */
  runWorkers(...options: WorkerOptions[]): Promise<() => Promise<void>>;
  /** Starts the workflow of a task, by default under the id of the task. */
  startTask(input: GenerateVideoInput, workflowId?: string): Promise<WorkflowHandleWithFirstExecutionRunId>;
}

/** Connects before the tests of a file to a Temporal namespace for their own workers, and closes it after them. */
export function useTemporalWorkers(): TestWorkers {
  const connect = async (): Promise<TestWorkers> => {
    installQuietRuntime();
    const temporal = await connectTemporal({ hasWorkers: true });
    const connection = await NativeConnection.connect({ address: temporal.address });
    const createWorker = (options: WorkerOptions) =>
      Worker.create({ connection, namespace: temporal.namespace, ...options });
    return {
      ...temporal,
      createWorker,
      async runWorkers(...options) {
        const workers = await Promise.all(options.map(createWorker));
        const running = workers.map((worker) => worker.run());
        return async () => {
          for (const worker of workers) worker.shutdown();
          await Promise.all(running);
        };
      },
      startTask: (input, workflowId = input.taskId) =>
        temporal.client.workflow.start('generateVideo', { workflowId, taskQueue: 'workflows', args: [input] }),
      close: async () => {
        await connection.close();
        await temporal.close();
      },
    };
  };
  return forAllTests(connect, (workers) => workers.close());
}
