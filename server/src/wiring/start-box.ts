import { type Box, createBox } from '@kinora/boxes/box';
import type { Config } from '../config/config.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Starts kinora-media, which starts all children. Throws if the machine does not allow the required isolation. */
export async function startBox(
  config: Pick<Config, 'KINORA_MINIMUM_ISOLATION'>,
  log: Log,
  metrics: Pick<Metrics, 'isolation'>,
): Promise<Box> {
  const box = await createBox({ minimumIsolation: config.KINORA_MINIMUM_ISOLATION });
  metrics.isolation(box.isolation);
  log.info({ event: 'box.started', isolation: box.isolation }, 'child processes isolated');
  return box;
}
