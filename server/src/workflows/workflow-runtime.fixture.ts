import { Runtime, type WorkflowBundleOption } from '@temporalio/worker';
import { openWorkflowBundle } from '../wiring/workflow-bundle.ts';

const quiet = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Installs Temporal's runtime without logs, because activities fail on purpose. May be called once per process. */
export function installQuietRuntime(): void {
  Runtime.install({
    logger: quiet,
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
  });
}

export function bundleWorkflows(): Promise<WorkflowBundleOption> {
  return openWorkflowBundle();
}
