import type { SecretReview } from '../operations/webhooks/rewrap-secrets.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface Dependencies {
  reviewSecrets: () => Promise<SecretReview>;
  log: Log;
  metrics: Pick<Metrics, 'storedSecrets'>;
}

/** Measures how many stored secrets still need a key that is not the first, and reports those that no key opens. */
export async function countSecrets({ reviewSecrets, log, metrics }: Dependencies): Promise<void> {
  const { underOtherKeys, unreadable } = await reviewSecrets();
  metrics.storedSecrets({ underOtherKeys, unreadable: unreadable.length });
  if (unreadable.length > 0)
    log.error({ event: 'secrets.unreadable', secrets: unreadable.length }, 'stored secrets cannot be decrypted');
}
