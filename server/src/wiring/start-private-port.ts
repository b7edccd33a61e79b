import { createPrivateApp } from '../api/private-app.ts';
import type { ReadinessCheck } from '../health/readiness.ts';
import { publicAddresses } from '../outbound/public-addresses.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Foundation, Started } from './foundation.ts';
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
    names: [new URL(config.KINORA_ENGINE_CALLBACK_URL).hostname, ...config.KINORA_PRIVATE_NAMES],
    token: config.KINORA_PRIVATE_TOKEN,
    log,
  });
  await app.listen({ host: config.KINORA_PRIVATE_HOST, port: config.KINORA_PRIVATE_PORT });
  const addresses = publicAddresses(config.KINORA_PRIVATE_HOST);
  if (addresses.length > 0) log.warn({ event: 'private_port.public', addresses }, 'private port has a public address');
  return {
    close: async () => {
      await app.close();
      await fetcher.close();
    },
  };
}
