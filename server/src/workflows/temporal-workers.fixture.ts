import { forAllTests } from '@kinora/stack/harness/for-all-tests';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { GenerateVideoInput } from '../domain/step.ts';
import { connectTemporal, type TestTemporal } from '../operations/queue/temporal.fixture.ts';
import { installQuietRuntime } from './workflow-runtime.fixture.ts';

interface TestWorkers extends TestTemporal {
  createWorker(options: WorkerOptions): Promise<Worker>;
  /** Runs workers until the function that it returns is called. */
  runWorkers(...options: WorkerOptions[]): Promise<() => Promise<void>>;
  /** Returns the history of one run, which may be longer than what gRPC takes at once. */
  historyOf(workflowId: string, runId: string): Promise<{ events: temporal.api.history.v1.IHistoryEvent[] }>;
  /** Starts the workflow of a task, by default under the id of the task. */
  startTask(input: GenerateVideoInput, workflowId?: string): Promise<WorkflowHandleWithFirstExecutionRunId>;
}

/** Connects before the tests of a file to a Temporal namespace for their own workers, and closes it after them. */
export function useTemporalWorkers(): TestWorkers {
  const connect = async (): Promise<TestWorkers> => {
    installQuietRuntime();
    const opened = await connectTemporal({ hasWorkers: true });
    const connection = await NativeConnection.connect({ address: opened.address });
    const createWorker = (options: WorkerOptions) =>
      Worker.create({ connection, namespace: opened.namespace, ...options });
    return {
      ...opened,
      createWorker,
      async runWorkers(...options) {
        const workers = await Promise.all(options.map(createWorker));
        const running = workers.map((worker) => worker.run());
        return async () => {
          for (const worker of workers) worker.shutdown();
          await Promise.all(running);
        };
      },
      async historyOf(workflowId, runId) {
        const { workflowService } = opened.client;
        const common = { namespace: opened.namespace, execution: { workflowId, runId }, maximumPageSize: 5 };
        const events: temporal.api.history.v1.IHistoryEvent[] = [];
        let nextPageToken = new Uint8Array();
        do {
          const request = { ...common, nextPageToken };
          const page: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryResponse =
            await workflowService.getWorkflowExecutionHistory(request);
          events.push(...(page.history?.events ?? []));
          nextPageToken = new Uint8Array(page.nextPageToken ?? []);
        } while (nextPageToken.length > 0);
        return { events };
      },
      startTask: (input, workflowId = input.taskId) =>
        opened.client.workflow.start('generateVideo', { workflowId, taskQueue: 'workflows', args: [input] }),
      close: async () => {
        await connection.close();
        await opened.close();
      },
    };
  };
  return forAllTests(connect, (workers) => workers.close());
}
