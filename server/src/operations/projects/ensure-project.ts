import type { Database } from '../../db/database.ts';
import type { Operator } from '../../domain/actor.ts';
import { parseApiKey } from '../../domain/api-key.ts';
import type { Clock } from '../../domain/clock.ts';
import { type Shards, shardOfId } from '../../domain/shard.ts';
import { AppError } from '../../errors.ts';
import { hashApiKey } from '../keys/authenticate.ts';
import { createApiKey } from '../keys/create-api-key.ts';
import { createProject } from './create-project.ts';

/** Makes sure that a project has this key. One that exists stays, even if revoked, so an installer can repeat it. */
export async function ensureProject(
  dependencies: { db: Database; clock: Clock; shards: Shards },
  operator: Operator,
  { name, key }: { name: string; key: string },
): Promise<{ projectId: string; isNew: boolean }> {
  const parsed = parseApiKey(key);
  // The message does not repeat the key, because it may be one with a typing error.
  if (!parsed) throw new AppError('invalid_parameter', { message: 'The key has an invalid format or checksum.' });
  const { apiKeys, projects } = dependencies.db;
  const known = await apiKeys.findByHash(hashApiKey(key));
  if (known) return { projectId: known.projectId, isNew: false };
  // A run that was interrupted has made the project, and no key yet.
  const named = (await projects.list()).find((project) => project.name === name);
  if (parsed.shard !== null && !dependencies.shards.has(parsed.shard)) throw elsewhere(parsed.shard);
  if (parsed.shard === null || (named && shardOfId(named.id) !== parsed.shard)) throw wrongShard(name, named?.id);
  const { id: projectId } = named ?? (await createProject(dependencies, operator, name, parsed.shard));
  await createApiKey(dependencies, operator, { projectId, livemode: parsed.livemode, name: 'first', key });
  return { projectId, isNew: true };
}

function wrongShard(name: string, projectId: string | undefined): AppError {
  const rule = 'The two characters after kin_live_ or kin_test_ name the shard of the project.';
  const remedy = projectId
    ? `Those of the project ${name} are ${shardOfId(projectId)}. Start the key with them, or let \`keys create\` make one.`
    : 'Start the key with two digits or lower-case letters without i, l, o and u.';
  return new AppError('invalid_parameter', { message: `${rule} ${remedy}` });
}

function elsewhere(shard: string): AppError {
  return new AppError('invalid_parameter', {
    message: `The key names the shard ${shard}, which KINORA_SHARDS leaves to another installation. Make the project there.`,
  });
}
