import { randomUUID } from 'node:crypto';
import { createModelsFileReporter } from '../operations/upkeep/models-file-reporter.ts';
import { every } from '../relay/every.ts';
import type { Foundation, Started } from './foundation.ts';

const reportEverySeconds = 20;

/** Tells the other processes which models and endpoints this one knows, at once after each change. */
export function reportModelsFile({ db, clock, log, models }: Foundation): Started {
  const processId = randomUUID();
  const report = createModelsFileReporter({
    db,
    clock,
    log,
    describe: () => {
      const { catalogue, endpoints, fingerprint } = models.current();
      const known = [...catalogue.models, ...(catalogue.retired ?? [])];
      const ids = { models: known.map(({ id }) => id), endpoints: endpoints.map(({ id }) => id) };
      return { processId, fingerprint, ...ids };
    },
  });
  const reportAndLog = () =>
    report().catch((error: unknown) =>
      log.warn({ event: 'models_file.report_failed', err: error }, 'models file not reported'),
    );
  const timer = every(clock, reportEverySeconds, reportAndLog, () => undefined);
  const stopListening = models.onChanged(() => void reportAndLog());
  return {
    close: async () => {
      stopListening();
      await timer.close();
    },
  };
}
