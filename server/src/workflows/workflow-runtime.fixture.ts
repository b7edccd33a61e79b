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

/** Temporal's runtime without its words: activities that fail on purpose are no news. Once a process. */
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
