import { SettingsError } from '@kinora/settings/read-settings';
import { reviewSecrets } from '../operations/webhooks/rewrap-secrets.ts';
import { createSecretBox } from '../webhooks/secret-box.ts';
import type { Foundation } from './foundation.ts';

/**
 * Refuses to start without the key of a stored secret, so that a rolling restart that drops a key too early stops at
 * its first process. If the database cannot be read, the relay checks every minute.
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
