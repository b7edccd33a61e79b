import type { SealedSecrets } from '../../db/webhook-endpoints.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { SecretBox, SecretPlace } from '../../webhooks/secret-box.ts';

/** The parts that create and seal the secrets of webhooks. */
export interface SecretTools {
  box: SecretBox;
  newSecret: () => string;
}

/** The row that a secret belongs to. */
type SecretRow = Omit<SecretPlace, 'column'>;

export const rowOfEndpoint = (endpointId: string): SecretRow => ({ table: 'webhook_endpoints', id: endpointId });

export const rowOfCallbacks = ({ projectId, livemode }: ProjectMode): SecretRow => ({
  table: 'callback_secrets',
  id: `${projectId} ${livemode ? 'live' : 'test'}`,
});

/** Creates a first secret, in clear for its owner and sealed for its row. */
export function makeSecret({ box, newSecret }: SecretTools, row: SecretRow) {
  const secret = newSecret();
  const sealed: SealedSecrets = {
    secret: box.seal(secret, { ...row, column: 'secret' }),
    previousSecret: null,
    previousSecretExpiresAt: null,
  };
  return { secret, sealed };
}

/** Creates a new secret; the previous one signs too until the overlap ends. */
export function replaceSecret(
  tools: SecretTools,
  row: SecretRow,
  former: SealedSecrets,
  overlap: { seconds: number; from: Date },
) {
  const { secret, sealed } = makeSecret(tools, row);
  if (overlap.seconds === 0) return { secret, sealed };
  const formerSecret = tools.box.open(former.secret, { ...row, column: 'secret' });
  return {
    secret,
    sealed: {
      ...sealed,
      previousSecret: tools.box.seal(formerSecret, { ...row, column: 'previous_secret' }),
      previousSecretExpiresAt: new Date(overlap.from.getTime() + overlap.seconds * 1000),
    },
  };
}

/** Returns the secrets that sign now, the current one first. */
export function secretsInUse(box: SecretBox, row: SecretRow, sealed: SealedSecrets, now: Date): string[] {
  const { secret, previousSecret, previousSecretExpiresAt } = sealed;
  const secrets = [box.open(secret, { ...row, column: 'secret' })];
  if (previousSecret && previousSecretExpiresAt && previousSecretExpiresAt > now) {
    secrets.push(box.open(previousSecret, { ...row, column: 'previous_secret' }));
  }
  return secrets;
}
