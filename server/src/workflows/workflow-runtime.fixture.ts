import { Runtime } from '@temporalio/worker';

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
