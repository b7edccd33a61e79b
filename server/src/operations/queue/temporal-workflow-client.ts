import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeliverWebhookInput } from '../../domain/delivery-step.ts';
import type { GenerateVideoInput } from '../../domain/step.ts';
import { failpoint } from '../../telemetry/failpoints.ts';
import type { Log } from '../../telemetry/log.ts';
import { idsOfWorkflow } from '../../telemetry/workflow-ids.ts';
import { createOutboxClearing } from './outbox-clearing.ts';
import type { TemporalAccess } from './temporal-access.ts';
import { createTemporalConnection, type TemporalConnection } from './temporal-connection.ts';
import { processIn, versionIn } from './worker-identity.ts';
import type { WorkflowClient, WorkflowStart } from './workflow-client.ts';

const startsInFlight = 50;
/** After a failed call, Temporal counts as unreachable for this long; the relay starts the skipped workflows. */
const unreachableMilliseconds = 5_000;
/** More than workers that end one after another leave behind. */
const triesUntilStuck = 5;
/** The states of an activity and the codes of errors are numbers in Temporal's protocol. */
const startedActivity = 2;
const notFound = 5;
/** How the SDK marks an error of non-determinism. */
const nondeterminismCode = '[TMPRL1100]';
/** A task may wait for 30 days (`KINORA_TASK_WAIT_HOURS`). A longer workflow is stuck: the reconciler decides then. */
const longestWorkflow = '32 days';

interface Dependencies {
  db: Pick<Database, 'outbox'>;
  clock: Clock;
  log: Log;
}

interface Options extends TemporalAccess, Dependencies {
  callTimeoutMilliseconds?: number;
}

/** Creates the service's Temporal client. */
export function createTemporalWorkflowClient(options: Options): WorkflowClient & { close(): Promise<void> } {
  const { db, clock, log, callTimeoutMilliseconds, ...access } = options;
  const temporal = createTemporalConnection(access, callTimeoutMilliseconds);
  return createWorkflowClient({ db, clock, log }, temporal, access.namespace);
}

/** Creates what the service needs from Temporal, over this connection. */
export function createWorkflowClient(
  { db, clock, log }: Dependencies,
  temporal: TemporalConnection,
  namespace: string,
): WorkflowClient & { close(): Promise<void> } {
  let inFlight = 0;
  let unreachableUntil = 0;
  const clearing = createOutboxClearing({ db, clock, log });

  const start = (input: WorkflowStart): Promise<void> =>
    temporal.call(async (client) => {
      const { type, workflowId, ...options } = workflowOf(input);
      // It would take this start for its own, and end.
      if (input.kind === 'start' && input.endedRun)
        await ifFound(client.workflow.getHandle(workflowId, input.endedRun).terminate('the task is admitted again'));
      try {
        await client.workflow.start(type, {
          ...options,
          workflowId,
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowIdReusePolicy:
            input.kind === 'start' && input.afterCompletion ? 'ALLOW_DUPLICATE' : 'ALLOW_DUPLICATE_FAILED_ONLY',
        });
      } catch (error) {
        // It ran and completed. If the task's row is open all the same, the reconciler starts it again.
        if (!isNamed(error, 'WorkflowExecutionAlreadyStartedError')) throw error;
      }
      if (input.kind === 'start') failpoint('after-start');
    });

  return {
    startSoon(starts) {
      for (const input of starts) {
        // The relay also knows the run that may be about to end.
        if (input.kind === 'start' && input.afterCompletion) continue;
        if (inFlight >= startsInFlight || clock.now().getTime() < unreachableUntil) continue;
        inFlight += 1;
        start(input)
          .then(
            () => clearing.add(input.outboxId),
            (error: unknown) => {
              unreachableUntil = clock.now().getTime() + unreachableMilliseconds;
              log.warn(
                { event: 'workflow.start_failed', err: error, ...idsOfWorkflow(workflowOf(input).workflowId) },
                'workflow not started',
              );
            },
          )
          .finally(() => {
            inFlight -= 1;
          });
      }
    },
    start,
    cancel: (taskId) =>
      temporal.call(async (client) => void (await ifFound(client.workflow.getHandle(taskId).cancel()))),
    state: (workflowId) =>
      temporal.call(async (client) => {
        try {
          const { status, raw } = await client.workflow.getHandle(workflowId).describe();
          if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW' || status.name === 'PAUSED')
            return (raw.pendingWorkflowTask?.attempt ?? 1) > triesUntilStuck ? 'stuck' : 'running';
          return status.name === 'COMPLETED' ? 'completed' : 'failed';
        } catch (error) {
          if (isNamed(error, 'WorkflowNotFoundError')) return 'missing';
          throw error;
        }
      }),
    outgrownBy: (workflowId) =>
      temporal.call(async (client) => {
        const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
          namespace,
          execution: { workflowId },
          maximumPageSize: 2, // the end, and the workflow task that decided it
        });
        const [end, decision] = history?.events ?? [];
        const { message } = end?.workflowExecutionFailedEventAttributes?.failure ?? {};
        if (!message?.startsWith(nondeterminismCode)) return null;
        return versionIn(decision?.workflowTaskCompletedEventAttributes?.identity ?? '');
      }),
    failActivityOf: (workflowId, processIds) =>
      temporal.call(async (client) => {
        let hasFailed = false;
        const execution = await ifFound(client.workflow.getHandle(workflowId).describe());
        for (const { activityId, state, lastWorkerIdentity } of execution?.raw.pendingActivities ?? []) {
          if (Number(state) !== startedActivity || !processIds.has(processIn(lastWorkerIdentity ?? ''))) continue;
          await ifFound(
            client.workflowService.respondActivityTaskFailedById({
              namespace,
              workflowId,
              runId: execution?.runId ?? '',
              activityId: activityId ?? '',
              failure: {
                message: 'its worker is gone',
                // An activity that is tried for the tenth time would otherwise wait for 10 s more.
                applicationFailureInfo: { type: 'WorkerGone', nextRetryDelay: { nanos: 1_000_000 } },
              },
            }),
          );
          hasFailed = true;
        }
        return hasFailed;
      }),
    check: () =>
      temporal.call(async (client) => {
        await client.workflowService.describeNamespace({ namespace });
      }),
    close: async () => {
      await clearing.close();
      await temporal.close();
    },
  };
}

/** Waits for a call about a workflow or an activity, which may have ended; then the result is null. */
async function ifFound<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (isNamed(error, 'WorkflowNotFoundError') || (error as { code?: unknown }).code === notFound) return null;
    throw error;
  }
}

/** Recognises an error of Temporal's client by its name: its classes are loaded only with the first call. */
function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

/** The input is ids only: neither prompts nor URLs reach Temporal. The fairness key shares workers among projects. */
function workflowOf(input: WorkflowStart) {
  if (input.kind === 'deliver') {
    const argument: DeliverWebhookInput = { deliveryId: input.deliveryId };
    return {
      type: 'deliverWebhook',
      workflowId: input.deliveryId,
      taskQueue: 'webhooks',
      args: [argument],
      priority: { fairnessKey: input.projectId },
    };
  }
  const { taskId, pool, enter, projectId, weight } = input;
  const argument: GenerateVideoInput = { taskId, pool, enter };
  const priority = { priorityKey: 3, fairnessKey: projectId, fairnessWeight: weight };
  return {
    type: 'generateVideo',
    workflowId: taskId,
    taskQueue: 'workflows',
    args: [argument],
    priority,
    workflowExecutionTimeout: longestWorkflow,
  } as const;
}
