import { randomBytes } from 'node:crypto';
import { hangLimitMilliseconds } from '@kinora/stack/hang-limit';
import { eventually } from '@kinora/stack/harness/eventually';
import { forAllTests } from '@kinora/stack/harness/for-all-tests';
import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { temporal } from '@temporalio/proto';
import { inject } from 'vitest';
import type { Database } from '../../db/database.ts';
import { systemClock } from '../../domain/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { createTemporalWorkflowClient } from './temporal-workflow-client.ts';
import type { WorkflowClient } from './workflow-client.ts';

export interface TestTemporal {
  address: string;
  namespace: string;
  client: Client;
  /** The service's own client, for a database of the test; `proxyAddress` is one in front of Temporal. */
  workflowsFor(db: Database, log: Log, proxyAddress?: string): WorkflowClient;
  /** Returns the input of a started workflow. */
  inputOf(taskId: string): Promise<unknown>;
  /** Runs a workflow of this id that completes at once, as if it had done its work. */
  completeWorkflow(taskId: string): Promise<void>;
  /** Starts a workflow and fails its first workflow tasks, as a worker with a bug would. */
  failWorkflowTasks(taskId: string, times: number): Promise<void>;
  close(): Promise<void>;
}

/** Connects to the stack's Temporal. Nothing polls there, so workflows stay; tests with workers get a namespace. */
export async function connectTemporal(options: { hasWorkers: boolean } = { hasWorkers: false }): Promise<TestTemporal> {
  const environment = inject('stackEnvironment');
  const address = environment['KINORA_TEMPORAL_ADDRESS'] ?? '';
  const connection = await Connection.connect({ address });
  const namespace = options.hasWorkers
    ? await createNamespace(connection)
    : (environment['KINORA_TEMPORAL_NAMESPACE'] ?? '');
  const client = new Client({ connection, namespace });
  const { workflowService } = connection;
  const opened: { close(): Promise<void> }[] = [];
  /** Starts a workflow whose worker is the test. Returns its queue. */
  const startScripted = async (taskId: string): Promise<string> => {
    const taskQueue = `scripted-${taskId}`;
    await client.workflow.start('scripted', { workflowId: taskId, taskQueue, args: [] });
    return taskQueue;
  };
  const nextWorkflowTask = async (taskQueue: string): Promise<Uint8Array> => {
    const { taskToken } = await connection.withDeadline(Date.now() + hangLimitMilliseconds, () =>
      workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue } }),
    );
    return taskToken;
  };
  return {
    address,
    namespace,
    client,
    workflowsFor: (db, log, proxyAddress) => {
      const workflows = createTemporalWorkflowClient({
        address: proxyAddress ?? address,
        namespace,
        db,
        clock: systemClock,
        log,
        // Only tests of outages use a proxy. In other tests, a call that a busy machine delays is no outage.
        ...(proxyAddress === undefined ? { callTimeoutMilliseconds: hangLimitMilliseconds } : {}),
      });
      opened.push(workflows);
      return workflows;
    },
    inputOf: async (taskId) => {
      const history = await client.workflow.getHandle(taskId).fetchHistory();
      const [started] = history.events ?? [];
      const data = started?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
      return data ? JSON.parse(Buffer.from(data).toString('utf8')) : undefined;
    },
    completeWorkflow: async (taskId) => {
      const taskToken = await nextWorkflowTask(await startScripted(taskId));
      const commandType = temporal.api.enums.v1.CommandType.COMMAND_TYPE_COMPLETE_WORKFLOW_EXECUTION;
      const commands = [{ commandType, completeWorkflowExecutionCommandAttributes: {} }];
      await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken, commands });
    },
    failWorkflowTasks: async (taskId, times) => {
      const taskQueue = await startScripted(taskId);
      for (let count = 0; count < times; count += 1)
        await workflowService.respondWorkflowTaskFailed({ namespace, taskToken: await nextWorkflowTask(taskQueue) });
    },
    close: async () => {
      await Promise.all(opened.map((workflows) => workflows.close()));
      await connection.close();
    },
  };
}

/** Connects before the tests of a file and closes the connection after them. */
export function useTemporal(): TestTemporal {
  return forAllTests(connectTemporal, (temporal) => temporal.close());
}

/** Registers a namespace and waits until it can be used, because Temporal makes it available with a delay. */
async function createNamespace(connection: Connection): Promise<string> {
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs('1 day') });
  const client = new Client({ connection, namespace });
  const probe = {
    workflowId: 'probe',
    taskQueue: 'without-workers',
    args: [],
    workflowIdConflictPolicy: 'USE_EXISTING',
  } as const;
  await eventually(`the namespace ${namespace} can be used`, () =>
    client.workflow.start('probe', probe).catch(() => null),
  );
  return namespace;
}
