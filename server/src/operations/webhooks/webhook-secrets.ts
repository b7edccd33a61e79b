import type { SealedSecrets } from '../../db/connection/sealed-secrets.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { SecretBox, SecretPlace } from '../../webhooks/secret-box.ts';

/** The parts that create and seal the secrets of webhooks. */
export interface SecretTools {
  box: SecretBox;
  newSecret: () => string;
}

/** The row that a secret belongs to. */
export type SecretRow = Omit<SecretPlace, 'column'>;

export const rowOfEndpoint = (endpointId: string): SecretRow => ({ table: 'webhook_endpoints', id: endpointId });

export const rowOfCallbacks = ({ projectId, livemode }: ProjectMode): SecretRow => ({
  table: 'callback_secrets',
  id: `${projectId} ${livemode ? 'live' : 'test'}`,
});

/** Creates a first secret, in clear for its owner and sealed for its row. */
export function makeSecret({ box, newSecret }: SecretTools, row: SecretRow) {
  const secret = newSecret();
  return { secret, sealed: sealSecrets(box, row, [secret], null) };
}

/** Creates a secret; the previous one signs too until the overlap ends, unless it cannot be decrypted. */
export function replaceSecret(
  { box, newSecret }: SecretTools,
  row: SecretRow,
  former: SealedSecrets,
  overlap: { seconds: number; from: Date },
) {
  const secret = newSecret();
  const formerSecret = overlap.seconds === 0 ? null : box.open(former.secret, { ...row, column: 'secret' });
  const secrets: SecretsInUse = formerSecret === null ? [secret] : [secret, formerSecret];
  return { secret, sealed: sealSecrets(box, row, secrets, new Date(overlap.from.getTime() + overlap.seconds * 1000)) };
}

/** The secrets that sign: the current one, and the previous one until it expires. */
type SecretsInUse = [current: string, ...previous: string[]];

/** Seals the secrets of a row. The expiry is that of the previous one, if there is one. */
export function sealSecrets(
  box: SecretBox,
  row: SecretRow,
  [current, previous]: SecretsInUse,
  previousExpiresAt: Date | null,
): SealedSecrets {
  return {
    secret: box.seal(current, { ...row, column: 'secret' }),
    previousSecret: previous === undefined ? null : box.seal(previous, { ...row, column: 'previous_secret' }),
    previousSecretExpiresAt: previous === undefined ? null : previousExpiresAt,
  };
}

/** Returns the secrets that sign now, the current one first; null if one of them cannot be decrypted. */
export function secretsInUse(box: SecretBox, row: SecretRow, sealed: SealedSecrets, now: Date): SecretsInUse | null {
  const { secret, previousSecret, previousSecretExpiresAt } = sealed;
  const current = box.open(secret, { ...row, column: 'secret' });
  if (current === null) return null;
  if (!previousSecret || !previousSecretExpiresAt || previousSecretExpiresAt <= now) return [current];
  const previous = box.open(previousSecret, { ...row, column: 'previous_secret' });
  return previous === null ? null : [current, previous];
}
