import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { type ApiClient, bodyOrThrow } from './api-client.ts';

/** Inserts a project with a live key that `owner` creates, because the command takes a second. Returns the key. */
export async function insertProject(
  owner: ApiClient,
  database: Client,
  { name, running, weight = 1 }: { name: string; running: number; weight?: number },
): Promise<string> {
  const { key } = bodyOrThrow(await owner.post<{ key: string }>('/v1/api-keys', { name }));
  const id = randomUUID();
  await database.query(
    `insert into projects (id, name, created_at, running_limit, waiting_limit, creates_per_minute, reads_per_minute, weight)
     values ($1, $2, now(), $3, 100000, 1000000, 1000000, $4)`,
    [id, name, running, weight],
  );
  await database.query('insert into project_slots (project_id, livemode, cap) values ($1, true, $2), ($1, false, $2)', [
    id,
    running,
  ]);
  // The key may do what the owner's may. By default, a key that is created over the API may manage nothing.
  await database.query(
    `update api_keys as made set project_id = $1, scopes = creator.scopes
     from api_keys as creator where creator.id = made.created_by_key_id and made.sha256 = sha256($2::bytea)`,
    [id, Buffer.from(key)],
  );
  return key;
}
