import { SettingsError } from '@kinora/settings/read-settings';
import { reviewSecrets } from '../operations/webhooks/rewrap-secrets.ts';
import { createSecretBox } from '../webhooks/secret-box.ts';
import type { Foundation } from './foundation.ts';

/**
 * Refuses to start if KINORA_SECRET_KEYS lacks the key of a stored secret. A rolling restart that removes a key too early
 * then stops at its first process, while the others still deliver webhooks. If the database cannot be read, the start
 * continues, and the relay checks again every minute.
 */
export async function requireReadableSecrets({ db, clock, config, log }: Foundation): Promise<void> {
  const box = createSecretBox(config.KINORA_SECRET_KEYS);
  const review = await reviewSecrets({ db, clock, box }).catch((error: unknown) => {
    log.warn({ event: 'secrets.check_failed', err: error }, 'stored secrets not checked');
    return null;
  });
  const lost = review?.unreadable.length ?? 0;
  if (lost === 0) return;
  throw new SettingsError([
    `KINORA_SECRET_KEYS lacks the key of ${lost} stored webhook or callback secret${lost === 1 ? '' : 's'}. Put the removed key back at the end of the list. If it is lost, \`kinora-server secrets rewrap --replace-lost\` creates new secrets.`,
  ]);
}
