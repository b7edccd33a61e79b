import { createPrivateApp } from '../api/private-app.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Foundation, Started } from './foundation.ts';
import type { ReadinessCheck } from './readiness.ts';
import { wireEngineCallbacks } from './wire-engine-reports.ts';
import { wireFetcher } from './wire-webhooks.ts';

/** Starts the port of this process that only the operator's own machines may reach. */
export async function startPrivatePort(
  foundation: Foundation,
  metrics: Metrics,
  readiness: ReadinessCheck,
): Promise<Started> {
  const { config, log } = foundation;
  const fetcher = wireFetcher(config);
  const app = createPrivateApp({
    renderMetrics: () => metrics.render(),
    readiness: () => readiness.check(),
    handleEngineCallback: wireEngineCallbacks(
      foundation,
      fetcher,
      (endpointId) => foundation.models.current().endpoints.find(({ id }) => id === endpointId) ?? null,
    ),
    log,
  });
  await app.listen({ host: config.KINORA_PRIVATE_HOST, port: config.KINORA_PRIVATE_PORT });
  return {
    close: async () => {
      await app.close();
      await fetcher.close();
    },
  };
}
