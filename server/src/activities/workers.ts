import { setTimeout as pause } from 'node:timers/promises';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { connectionOptions, type TemporalAccess } from '../operations/queue/temporal-access.ts';
import { createTemporalLog } from '../telemetry/temporal-log.ts';
import { type ServeDependencies, serveQueues } from './serve-queues.ts';

interface Dependencies extends ServeDependencies {
  identity: string;
  /** The module that decides what Temporal learns about an error. */
  failureConverterPath: string;
  temporal: TemporalAccess;
}

/** A workflow that does not fit its history ends instead of hanging; the reconciler starts it again from the row. */
export const workflowFailureErrorTypes = { '*': ['NondeterminismError'] };

/** Starts a worker's endpoint owners and queues, in the background: Temporal may be down and the API must not wait. */
export function startWorkers(dependencies: Dependencies): { close(): Promise<void> } {
  const closing = new AbortController();
  const running = runWorkers(dependencies, closing.signal).catch((error: unknown) => {
    // A worker that stopped polling looks alive but does nothing: it is better to exit and be restarted.
    dependencies.log.fatal({ event: 'worker.failed', err: error }, 'worker failed');
    process.exit(1);
  });
  return {
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

async function runWorkers(dependencies: Dependencies, closing: AbortSignal): Promise<void> {
  const { failureConverterPath, identity, temporal } = dependencies;
  const connection = await connect(dependencies, closing);
  if (!connection) return;
  const { namespace } = temporal;
  const createWorker = (options: Parameters<typeof Worker.create>[0]) =>
    Worker.create({
      connection,
      namespace,
      identity,
      dataConverter: { failureConverterPath },
      workflowFailureErrorTypes,
      ...options,
    });
  await serveQueues(dependencies, createWorker, closing);
  await connection.close();
}

/** Connects to Temporal. If Temporal is down, the worker waits and logs that. */
async function connect({ temporal, log }: Dependencies, closing: AbortSignal): Promise<NativeConnection | null> {
  Runtime.install({
    logger: createTemporalLog(log),
    // Otherwise the SDK's native part writes to the console in its own format.
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    shutdownSignals: [],
  });
  while (!closing.aborted) {
    try {
      const connection = await NativeConnection.connect(connectionOptions(temporal));
      await connection.withDeadline(Date.now() + 5_000, () =>
        connection.workflowService.describeNamespace({ namespace: temporal.namespace }),
      );
      return connection;
    } catch (error) {
      log.warn({ event: 'temporal.unreachable', err: error }, 'Temporal unreachable');
      await pause(1_000, undefined, { signal: closing }).catch(() => undefined);
    }
  }
  return null;
}
