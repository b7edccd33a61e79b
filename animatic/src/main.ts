#!/usr/bin/env node
import { createBox } from '@kinora/boxes/box';
import { encodeFrames } from '@kinora/boxes/encode-frames';
import { prepareScratchRoot } from '@kinora/boxes/prepare-scratch-root';
import { UnsafeMachine } from '@kinora/boxes/unsafe-machine';
import { SettingsError } from '@kinora/settings/read-settings';
import { createAnimaticServer } from './animatic-server.ts';
import { readAnimaticConfig } from './config.ts';
import { createLog } from './log.ts';

try {
  await start();
} catch (error) {
  // A person reads this: print only the message of an expected problem, and all details of any other error.
  console.error(describe(error));
  createLog({ level: 'info' }).fatal({ event: 'process.failed', err: error }, 'start failed');
  process.exit(1);
}

/** Starts Kinora's built-in engine. It has a private HTTP API, and no database, file store or secrets. */
async function start(): Promise<void> {
  const config = readAnimaticConfig();
  const log = createLog({ level: config.KINORA_LOG_LEVEL });
  await prepareScratchRoot(config.KINORA_SCRATCH_FOLDER);
  const box = await createBox({ minimumIsolation: config.KINORA_MINIMUM_ISOLATION });
  const server = createAnimaticServer({
    box,
    encodeFrames,
    log,
    scratchRoot: config.KINORA_SCRATCH_FOLDER,
    slots: config.KINORA_ANIMATIC_SLOTS,
    names: config.KINORA_ANIMATIC_NAMES,
  });
  const url = await server.listen(config.KINORA_ANIMATIC_HOST, config.KINORA_ANIMATIC_PORT);
  log.info({ event: 'animatic.listening', url, isolation: box.isolation }, 'animatic listening');

  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    log.info({ event: 'process.stopping', signal }, 'shutdown started');
    // A second Ctrl-C does not wait for the children to end.
    process.once('SIGINT', () => process.exit(1));
    server.close().then(
      () => {
        log.info({ event: 'process.stopped' }, 'shutdown complete');
        process.exit(0);
      },
      (error: unknown) => {
        log.fatal({ event: 'process.failed', err: error }, 'shutdown failed');
        console.error(describe(error));
        process.exit(1);
      },
    );
  };
  process.once('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function describe(error: unknown): unknown {
  if (error instanceof SettingsError || error instanceof UnsafeMachine) return error.message;
  const isTakenPort = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' && 'port' in error;
  return isTakenPort
    ? `Port ${String(error.port)} is taken by another program. Stop it, or set KINORA_ANIMATIC_PORT.`
    : error;
}
