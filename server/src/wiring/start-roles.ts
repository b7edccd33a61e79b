import { prepareScratchRoot } from '@kinora/boxes/prepare-scratch-root';
import type { Config } from '../config/config.ts';
import type { DoctorReport } from '../console/operator-parts.ts';
import { logPartProblems } from '../health/part-problems.ts';
import { createReadiness } from '../health/readiness.ts';
import { removeStaleScratch } from '../media/scratch.ts';
import { armFailpoints } from '../telemetry/failpoints.ts';
import type { Log } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { type Started, wireFoundation } from './foundation.ts';
import { type RoleFacts, reportProcess } from './report-process.ts';
import { requireReadableSecrets } from './require-readable-secrets.ts';
import { startRelayRole } from './start-relay-role.ts';

export const roles = ['api', 'relay', 'worker', 'console'] as const;
export type Role = (typeof roles)[number];

/** Starts the requested roles; `close` hands over work in progress. Operators run the doctor from the console. */
export async function startRoles(
  config: Config,
  requested: readonly Role[],
  runDoctor: (() => Promise<DoctorReport>) | null = null,
): Promise<Started & { log: Log }> {
  armFailpoints(config.KINORA_FAILPOINTS);
  await prepareScratchRoot(config.KINORA_SCRATCH_FOLDER);
  await removeStaleScratch(config.KINORA_SCRATCH_FOLDER);
  const started: Started[] = [];
  const close = async (): Promise<void> => {
    for (const part of started.toReversed()) await part.close();
  };
  try {
    const foundation = wireFoundation(config, requested);
    started.push(foundation);
    await requireReadableSecrets(foundation);
    await foundation.models.open(); // throws if the models file is invalid
    foundation.models.watch();
    if (config.KINORA_MODELS_FILE === null) {
      const animaticUrl = config.KINORA_ANIMATIC_URL;
      foundation.log.info(
        { event: 'models_file.not_set', animaticUrl },
        'no models file, the built-in engine serves all requests',
      );
    }
    const facts: (() => RoleFacts)[] = [];
    started.push(
      reportProcess(foundation, requested, () => facts.reduce<RoleFacts>((all, of) => ({ ...all, ...of() }), {})),
    );
    const metrics = createMetrics();
    started.push(metrics);
    const needsBox = requested.includes('api') || requested.includes('worker');
    const box = needsBox ? await (await import('./start-box.ts')).startBox(config, foundation.log, metrics) : null;
    const readiness = createReadiness(foundation, box?.isolation ?? null);
    // Imported here, most only if requested: that halves the start time and memory of commands and single roles.
    started.push(await (await import('./start-private-port.ts')).startPrivatePort(foundation, metrics, readiness));
    const add = (part: Started & { facts: () => RoleFacts }): void => {
      started.push(part);
      facts.push(part.facts);
    };
    if (box && requested.includes('worker'))
      add(await (await import('./start-worker.ts')).startWorker(foundation, box));
    if (requested.includes('relay')) add(startRelayRole(foundation, metrics));
    if (box && requested.includes('api'))
      started.push(await (await import('./start-api.ts')).startApi(foundation, metrics, readiness, box));
    if (requested.includes('console'))
      started.push(await (await import('./start-console.ts')).startConsole(foundation, metrics, readiness, runDoctor));
    let isClosing = false;
    // A relay alone loads the clients of Temporal and the store, 20 MB, only when it has something to do with them.
    const parts = needsBox ? (['postgres', 'temporal', 'store'] as const) : (['postgres'] as const);
    logPartProblems(foundation, parts, () => isClosing).catch((error: unknown) =>
      foundation.log.error({ event: 'process.failed', err: error }, 'parts could not be checked'),
    );
    const stopAndClose = (): Promise<void> => {
      isClosing = true;
      readiness.stop();
      return close();
    };
    return { close: stopAndClose, log: foundation.log };
  } catch (error) {
    await close();
    throw error;
  }
}
