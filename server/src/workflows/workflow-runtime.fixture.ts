import { join } from 'node:path';
import { bundleWorkflowCode, Runtime, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

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

export function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({ workflowsPath: join(import.meta.dirname, 'all-workflows.ts'), logger: quiet });
}
