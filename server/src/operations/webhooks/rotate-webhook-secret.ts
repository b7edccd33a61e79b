import type { Database } from '../../db/database.ts';
import type { Clock } from '../../domain/clock.ts';
import { uuidFromId } from '../../domain/id.ts';
import type { ProjectMode } from '../../domain/project-mode.ts';
import type { WebhookEndpoint } from '../../domain/webhook.ts';
import { AppError } from '../../errors.ts';
import { found } from './read-webhook-endpoint.ts';
import { replaceSecret, rowOfEndpoint, type SecretTools } from './webhook-secrets.ts';

interface Dependencies extends SecretTools {
  db: Database;
  clock: Clock;
}

/** Gives an endpoint a new secret, shown now and never again; the previous one signs too until the overlap ends. */
export async function rotateWebhookSecret(
  dependencies: Dependencies,
  owner: ProjectMode,
  id: string,
  overlapSeconds: number,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const { db, clock } = dependencies;
  if (uuidFromId('whk', id) === null) throw new AppError('not_found');
  return db.transaction(async ({ webhookEndpoints }) => {
    const { sealed: former, ...endpoint } = found(await webhookEndpoints.lock(owner, id));
    const overlap = { seconds: overlapSeconds, from: clock.now() };
    const { secret, sealed } = replaceSecret(dependencies, rowOfEndpoint(id), former, overlap);
    await webhookEndpoints.replaceSecrets(id, sealed);
    return { endpoint, secret };
  });
}
