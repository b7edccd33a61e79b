import { fileURLToPath } from 'node:url';
import type { Box } from '@kinora/boxes/box';
import packageJson from '../../package.json' with { type: 'json' };
import { startWorkers } from '../activities/workers.ts';
import { openLockSession } from '../db/connection/lock-session.ts';
import { createLive } from '../live/live.ts';
import { createImages } from '../media/images.ts';
import { withScratchFolder } from '../media/scratch.ts';
import { createVideo } from '../media/video.ts';
import { createKnownSpeeds } from '../operations/queue/known-speeds.ts';
import { workerIdentity } from '../operations/queue/worker-identity.ts';
import type { Foundation, Started } from './foundation.ts';
import { readTemporalAccess } from './read-temporal-access.ts';
import type { RoleFacts } from './report-process.ts';
import { wireRegistry } from './wire-registry.ts';
import { receiverPolicy, wireFetcher, wireWebhooks } from './wire-webhooks.ts';
import { openWorkflowBundle } from './workflow-bundle.ts';

/** Starts the workers for everything that Temporal hands out: workflows, rendering, finishing, webhooks. */
export async function startWorker(foundation: Foundation, box: Box): Promise<Started & { facts: () => RoleFacts }> {
  const { config, log, clock, db, notices } = foundation;
  log.info({ event: 'worker.starting' }, 'worker starting');
  const scratchRoot = config.KINORA_SCRATCH_FOLDER;
  const images = createImages({ box, scratchRoot, poolSize: config.KINORA_MEDIA_CONCURRENCY });
  const live = createLive({ db, clock, log, onWritten: (change) => notices.changed(change) });
  const registry = wireRegistry(foundation);
  const fetcher = wireFetcher(config, { policy: receiverPolicy(config) });
  const speeds = createKnownSpeeds({ db, clock, log });
  const locks = openLockSession({ clock, databaseUrl: config.KINORA_DATABASE_URL, group: 'workers' });
  const workers = startWorkers({
    ...foundation,
    images,
    video: createVideo({ box }),
    live,
    registry,
    withScratch: (work) => withScratchFolder(scratchRoot, work),
    holdLock: locks.hold,
    webhooks: wireWebhooks(foundation, fetcher),
    workflowBundle: await openWorkflowBundle(),
    failureConverterPath: fileURLToPath(new URL('../workflows/failure-converter.ts', import.meta.url)),
    temporal: readTemporalAccess(config),
    identity: workerIdentity(packageJson.version, foundation.processId),
    mediaConcurrency: config.KINORA_MEDIA_CONCURRENCY,
    attemptLimitSeconds: config.KINORA_ATTEMPT_LIMIT_SECONDS,
    stallSeconds: config.KINORA_STALL_SECONDS,
    speeds,
  });
  return {
    // A worker holds one lock per endpoint that it owns.
    facts: () => ({ ownedEndpoints: locks.countHeld() }),
    close: async () => {
      await workers.close();
      await locks.close();
      speeds.close();
      await fetcher.close();
      await live.close();
      await images.close();
    },
  };
}
