import type { Config } from '../config.ts';
import { createAnimaticServer } from '../engines/animatic/animatic-server.ts';
import { createBox } from '../media/box.ts';
import { encodeFrames } from '../media/encode.ts';
import { createLog } from '../telemetry/log.ts';
import type { Started } from './foundation.ts';

/** The built-in engine, a process of its own as any other engine. */
export async function startAnimatic(config: Config): Promise<Started> {
  const box = await createBox({});
  const log = createLog({ level: config.KINORA_LOG_LEVEL, roles: ['animatic'] });
  const server = createAnimaticServer({
    box,
    encodeFrames,
    log,
    scratchRoot: config.KINORA_SCRATCH_FOLDER,
    slots: config.KINORA_ANIMATIC_SLOTS,
  });
  const url = await server.listen(config.KINORA_ANIMATIC_HOST, config.KINORA_ANIMATIC_PORT);
  log.info({ url, isolation: box.isolation }, 'animatic listens');
  return server;
}
